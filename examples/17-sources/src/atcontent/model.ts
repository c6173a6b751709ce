import { defineEntity, text } from "@partita/core";
import { bucket, isoDate, leading, newestFirst, oldestFirst } from "@partita/core/keys";

/** Users in buckets by a hash of their id. */
export class Users extends defineEntity({
  table: "Users",
  partitionKey: { id: bucket({ bits: 8 }) },
  rowKey: { id: text() },
  properties: { email: text().optional() },
  outbox: true,
}) {}

/** News of a user, the latest first. */
export class News extends defineEntity({
  table: "News",
  partitionKey: { user: text() },
  rowKey: { at: newestFirst },
  properties: { text: text() },
}) {}

/** Users by the first characters of their id. */
export class Followers extends defineEntity({
  table: "Followers",
  partitionKey: { user: leading(2) },
  rowKey: { user: text() },
  properties: {},
}) {}

/** Many partitions: by 128 bits of a hash. */
export class Sharded extends defineEntity({
  table: "Sharded",
  partitionKey: { id: bucket({ bits: 128 }) },
  rowKey: { id: text() },
  properties: {},
}) {}

/** A log with a partition for each minute. */
export class Logs extends defineEntity({
  table: "MinuteLogs",
  partitionKey: { at: isoDate("yyyy-MM-dd-HH-mm") },
  rowKey: { at: oldestFirst },
  properties: { text: text() },
}) {}
