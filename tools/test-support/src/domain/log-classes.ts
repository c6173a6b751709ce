import { defineEntity, int32, text } from "@partita/core";
import { bucket, escaped, month, newestFirst, padded } from "@partita/core/keys";

/** Entries of tenants, by month and four buckets, the latest first. */
class LogEntry extends defineEntity({
  table: "LogEntries",
  partitionKey: { tenant: escaped, at: month(newestFirst), user: bucket(4) },
  rowKey: { at: newestFirst, user: escaped },
  properties: { text: text() },
}) {}

/** The same with the bucket in front of the month. */
class SpreadEntry extends defineEntity({
  table: "SpreadEntries",
  partitionKey: { user: bucket(4), at: month(newestFirst) },
  rowKey: { at: newestFirst },
  properties: { user: text(), text: text() },
}) {}

/** Numbered rows of one partition. */
class Numbered extends defineEntity({
  table: "NumberedRows",
  partitionKey: { list: escaped },
  rowKey: { n: padded(6) },
  properties: { value: int32().default(0) },
}) {}

/** The classes of the cases about key order, in one of the three forms. */
export interface LogClasses {
  readonly LogEntry: typeof LogEntry;
  readonly SpreadEntry: typeof SpreadEntry;
  readonly Numbered: typeof Numbered;
}

/** The form of `defineEntity`. */
export const definedLogs: LogClasses = { LogEntry, SpreadEntry, Numbered };
