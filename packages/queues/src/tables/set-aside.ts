import { annotationOf, parseDateTime } from "@partita/core/protocol";
import { isInt32, maxKeyLength } from "@partita/core/internal";
import type { RequestOptions, StoredEntity } from "@partita/core/storage";
import { movedRow } from "./message-row.ts";
import { type QueueTable, removalOf } from "./queue-table.ts";

/*
 * Rows in the partition of a queue that are no messages: another program wrote or changed them. A receiver moves them after
 * all messages, where no query for visible ones meets them, with all that they hold, and reports each once.
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

/** Moves a row after all messages of its partition, and reports it; where that fails, it is met again. */
export async function setAside(
  { storage, table }: QueueTable,
  row: StoredEntity,
  problem: string,
  request: RequestOptions,
): Promise<void> {
  const moved = movedRow(row, (prefix + row.RowKey).slice(0, maxKeyLength), {});
  // What its writer has changed meanwhile is met again.
  const removal = { ...removalOf(row), etag: row["odata.etag"] ?? "*" };
  const operations = [removal, { type: "insert" as const, entity: moved }];
  const isMoved = await storage.transact(table, operations, request).then(
    () => true,
    () => false,
  );
  if (isMoved) report(table, moved, problem);
}

function report(table: string, { PartitionKey, RowKey }: StoredEntity, problem: string): void {
  if (typeof process === "object")
    process.emitWarning(
      `A row of the queue table ${table} is no message and was set aside: ${problem}. Another program wrote it. It has the PartitionKey ${JSON.stringify(PartitionKey)} and the RowKey ${JSON.stringify(RowKey)} now; delete it, or put its message again.`,
      { code: "PARTITA_QUEUE_ROW" },
    );
}
