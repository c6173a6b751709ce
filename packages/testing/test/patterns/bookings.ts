import { dateTime, defineEntity, int32, text } from "@partita/core";
import { bucket, month, newestFirst } from "@partita/core/keys";

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

/** A table whose rows are spread over buckets. */
export class Visit extends defineEntity({
  table: "Visits",
  partitionKey: { visitor: bucket(8) },
  rowKey: { visitor: text(), visitedOn: dateTime() },
  properties: { page: text() },
}) {}
