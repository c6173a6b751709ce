import { annotationOf, parseDateTime } from "@partita/core/protocol";
import { isInt32, maxKeyLength, warnOnce } from "@partita/core/internal";
import type { RequestOptions, StoredEntity } from "@partita/core/storage";
import { movedRow } from "./message-row.ts";
import { type QueueTable, removalOf } from "./queue-table.ts";

/*
 * Rows in the partition of a queue that are not messages, because another program wrote or changed them. A
 * receiver moves them after all messages, with all of their values. Queries for visible messages don't find
 * them there. It warns once for each queue.
 */

/** Prefix of the RowKey of such rows. It sorts after the digits of times. */
const prefix = "~malformed!";

/** Sorts after the RowKeys of all messages, and before those of rows that were set aside. */
export const afterMessages = ":";

const rowKeyForm = /^\d{19}![0-9A-Z]{26}$/;
const idForm = /^[0-9A-Z]{26}$/;

/** The reason why a row is not a message, in words without values. Undefined for a message. */
export function problemOfRow(row: StoredEntity): string | undefined {
  const { Id, Count, Body, Inserted, Expires } = row;
  if (!rowKeyForm.test(row.RowKey)) return "its RowKey is not a time and an id";
  if (typeof Id !== "string" || !idForm.test(Id)) return "Id is missing or malformed";
  // Each receive adds one.
  if (typeof Count !== "number" || !isInt32(Count + 1) || Count < 0) return "Count is missing or not a count";
  if (typeof Body !== "string" || row[annotationOf("Body")] !== "Edm.Binary")
    return "Body is missing or not Edm.Binary";
  if (!isTime(Inserted)) return "Inserted is missing or not a time";
  return Expires === undefined || isTime(Expires) ? undefined : "Expires is not a time";
}

const isTime = (value: unknown): boolean => typeof value === "string" && parseDateTime(value) !== undefined;

/** Moves a row after all messages of its partition, and warns. If that fails, the next receive retries it. */
export async function setAside(
  queues: QueueTable,
  row: StoredEntity,
  problem: string,
  request: RequestOptions,
): Promise<void> {
  const { storage, table } = queues;
  const moved = movedRow(row, (prefix + row.RowKey).slice(0, maxKeyLength), {});
  // If the row changes meanwhile, the next receive finds it again.
  const removal = { ...removalOf(row), etag: row["odata.etag"] ?? "*" };
  const operations = [removal, { type: "insert" as const, entity: moved }];
  const isMoved = await storage.transact(table, operations, request).then(
    () => true,
    () => false,
  );
  if (isMoved) warnOfQueue(queues, row, problem);
}

/** One warning for all rows of a queue, because a program that writes one such row writes more. */
function warnOfQueue(queues: QueueTable, { PartitionKey }: StoredEntity, problem: string): void {
  const queue = PartitionKey.slice(0, PartitionKey.lastIndexOf("!"));
  const message = (): string =>
    `The queue ${JSON.stringify(queue)} has rows in the table ${queues.table} that are not messages. They were set aside. For the first one, ${problem}. Another program wrote them. Read the rows with a RowKey that starts with ${JSON.stringify(prefix)} in the partitions ${JSON.stringify(`${queue}!…`)}. Delete them, or put their messages again.`;
  warnOnce(queues, "PARTITA_QUEUE_ROW", message, queue);
}
