import { defineEntity, int32, text } from "@partita/core";
import { constant, escaped, month, newestFirst, padded, verbatim } from "@partita/core/keys";

/** A table whose partitions are found by a channel. */
export class Post extends defineEntity({
  table: "Posts",
  partitionKey: { channel: text() },
  rowKey: { postedOn: newestFirst },
  properties: { author: text(), rating: int32().default(0) },
}) {}

/** A table that is cut into months. */
export class Entry extends defineEntity({
  table: "Entries",
  partitionKey: { book: text(), madeOn: month },
  rowKey: { madeOn: newestFirst },
  properties: { amount: int32() },
}) {}

/** Runners of races, who are found by their e-mail and by their age, too. */
export class Runner extends defineEntity({
  table: "Races",
  separator: "__",
  partitionKey: { race: text(), distance: text() },
  rowKey: { bib: constant("BIB:", padded(5)), name: text() },
  properties: { age: int32(), email: text().optional(), club: text().optional() },
  indexes: {
    byAge: { rowKey: { age: constant("AGE:", padded(3)) }, copy: "none" },
    byClub: { rowKey: { club: constant("CLUB:", verbatim) }, unique: true, copy: "none" },
    byEmail: { rowKey: { email: constant("MAIL:", escaped) }, unique: true, copy: "none" },
  },
}) {}
