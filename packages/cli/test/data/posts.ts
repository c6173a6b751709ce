import { dateTime, defineEntity, int64, text } from "@partita/core";
import { newestFirst } from "@partita/core/keys";

/** A class to query: its RowKey is made of a date. */
export class Post extends defineEntity({
  table: "Posts",
  partitionKey: { channel: text() },
  rowKey: { postedOn: newestFirst },
  properties: { title: text(), reads: int64(), editedOn: dateTime().optional() },
}) {}
