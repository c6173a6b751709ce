import { defineEntity, int32, text } from "@partita/core";
import { month, newestFirst } from "@partita/core/keys";

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
