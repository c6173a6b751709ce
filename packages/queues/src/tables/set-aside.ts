import { annotationOf, parseDateTime } from "@partita/core/protocol";
import { isInt32, maxKeyLength, warnOnce } from "@partita/core/internal";
import type { RequestOptions, StoredEntity } from "@partita/core/storage";
import { movedRow } from "./message-row.ts";
import { type QueueTable, removalOf } from "./queue-table.ts";

/*
 * Rows in the partition of a queue that are no messages: another program wrote or changed them. A receiver moves them after
 * all messages, where no query for visible ones meets them, with all that they hold, and warns once for each queue.
 */

/** What the RowKey of such a row begins with: it sorts after the digits of times. */
const prefix = "~malformed!";

/** The RowKey that all messages are below, and rows that were set aside are not. */
export const afterMessages = ":";

const rowKeyForm = /^\d{19}![0-9A-Z]{26}$/;
const idForm = /^[0-9A-Z]{26}$/;

/** What makes a row no message, in words and without values; undefined for a message. */
export function problemOfRow(row: StoredEntity): string | undefined {
  const { Id, Count, Body, Inserted, Expires } = row;
  if (!rowKeyForm.test(row.RowKey)) return "its RowKey is not a time and an id";
  if (typeof Id !== "string" || !idForm.test(Id)) return "Id is missing or malformed";
  // A receive counts once more.
  if (typeof Count !== "number" || !isInt32(Count + 1) || Count < 0) return "Count is missing or no count";
  if (typeof Body !== "string" || row[annotationOf("Body")] !== "Edm.Binary")
    return "Body is missing, or no Edm.Binary";
  if (!isTime(Inserted)) return "Inserted is missing or no time";
  return Expires === undefined || isTime(Expires) ? undefined : "Expires is no time";
}

const isTime = (value: unknown): boolean => typeof value === "string" && parseDateTime(value) !== undefined;

/** Moves a row after all messages of its partition, and warns of it; if that fails, the next receive tries again. */
export async function setAside(
  queues: QueueTable,
  row: StoredEntity,
  problem: string,
  request: RequestOptions,
): Promise<void> {
  const { storage, table } = queues;
  const moved = movedRow(row, (prefix + row.RowKey).slice(0, maxKeyLength), {});
  // What its writer has changed meanwhile is met again.
  const removal = { ...removalOf(row), etag: row["odata.etag"] ?? "*" };
  const operations = [removal, { type: "insert" as const, entity: moved }];
  const isMoved = await storage.transact(table, operations, request).then(
    () => true,
    () => false,
  );
  if (isMoved) warnOfQueue(queues, row, problem);
}

/** One warning for all rows of a queue: a program that writes one such row writes more. */
function warnOfQueue(queues: QueueTable, { PartitionKey }: StoredEntity, problem: string): void {
  const queue = PartitionKey.slice(0, PartitionKey.lastIndexOf("!"));
  const message = (): string =>
    `The queue ${JSON.stringify(queue)} has rows in the table ${queues.table} that are no messages, and they are set aside. Of the first one, ${problem}. Another program wrote them. Read the rows whose RowKey begins with ${JSON.stringify(prefix)} in the partitions ${JSON.stringify(`${queue}!…`)}; delete them, or put their messages again.`;
  warnOnce(queues, "PARTITA_QUEUE_ROW", message, queue);
}
