// `save-changes.ts` calls `planBatches` with groups of changes before anything is sent. It splits them into entity
// group transactions within the service's limits, keeping their order within a partition. Pure: it needs no storage.

import { UniqueRows } from "./unique-rows.ts";
import { partitionId } from "../../values/keys/key-rules.ts";
import { maxTransactionBytes, maxTransactionOperations } from "../../storage/limits.ts";
import { jsonBytesOf, keyOfOperation, type WriteOperation } from "../../storage/write-operation.ts";
import { noMessages } from "../unit-of-work/outbox-message.ts";
import type { Write } from "../recovery/attempt.ts";
import { type ChangeSet, needsMarker } from "../unit-of-work/tracked-entity.ts";
import type { SaveResult } from "../unit-of-work/save-result.ts";
import { SaveError } from "./save-error.ts";

export interface BatchLimits {
  readonly maxOperations: number;
  readonly maxBytes: number;
}

/** The service's limits. Source: learn.microsoft.com "Performing entity group transactions". */
const serviceLimits: BatchLimits = {
  maxOperations: maxTransactionOperations,
  maxBytes: maxTransactionBytes,
};

/** Bytes of one operation in addition to its entity: boundaries, request line, URL with escaped keys, headers. */
const overheadBytes = 4096;

/**
 * Splits change sets into entity group transactions by table and partition, keeping their order within a partition.
 * Nothing is lost, no batch passes a limit, and no batch holds one key twice.
 *
 * @param changes - at most one per entity; from `changeSetOf`
 */
export function planBatches(changes: readonly ChangeSet[], limits: BatchLimits = serviceLimits): Write[] {
  if (isOneBatch(changes, limits)) return [batchOf(changes)];
  const partitions = new Map<string, ChangeSet[]>();
  let last:
    | { readonly table: string; readonly partitionKey: string; readonly group: ChangeSet[] }
    | undefined;
  for (const change of changes) {
    const { table } = change.entry.model;
    const { partitionKey } = keyOfOperation(change.operation);
    // Most changes come after others of their partition.
    if (last?.partitionKey !== partitionKey || last.table !== table) {
      const id = partitionId(table, partitionKey);
      const group = partitions.get(id) ?? [];
      partitions.set(id, group);
      last = { table, partitionKey, group };
    }
    last.group.push(change);
  }
  return [...partitions.values()].flatMap((group) =>
    group.every(isOneOperation) ? splitOperations(group, limits) : splitUnits(group, limits),
  );
}

/** Whether the changes certainly fit one transaction, as in most saves. Then the rest of the planning is skipped. */
function isOneBatch(changes: readonly ChangeSet[], { maxOperations, maxBytes }: BatchLimits): boolean {
  const [first] = changes;
  if (first === undefined || changes.length > maxOperations) return false;
  const { table } = first.entry.model;
  // A marker is also an operation.
  if (needsMarker(changes) && changes.length === maxOperations) return false;
  const { partitionKey } = keyOfOperation(first.operation);
  let bytes = 0;
  for (const change of changes) {
    const { entry, operation } = change;
    if (!isOneOperation(change)) return false;
    if (entry.model.table !== table || keyOfOperation(operation).partitionKey !== partitionKey) return false;
    bytes += bytesOf(change);
  }
  return bytes <= maxBytes;
}

const batchOf = (changes: readonly ChangeSet[]): Write => ({
  table: (changes[0] as ChangeSet).entry.model.table,
  changes,
});

const isOneOperation = ({ indexRows, messages }: ChangeSet): boolean =>
  indexRows === undefined && messages === undefined;

/** Splits changes that are an operation each, as most are. */
function splitOperations(group: readonly ChangeSet[], { maxOperations, maxBytes }: BatchLimits): Write[] {
  const room = Math.max(1, maxOperations - (needsMarker(group) ? 1 : 0));
  const batches: Write[] = [];
  let [from, bytes] = [0, 0];
  for (let at = 0; at < group.length; at++) {
    const size = bytesOf(group[at] as ChangeSet);
    if (at > from && (at - from === room || bytes + size > maxBytes)) {
      batches.push(batchOf(group.slice(from, at)));
      [from, bytes] = [at, 0];
    }
    bytes += size;
  }
  batches.push(batchOf(group.slice(from)));
  return batches;
}

/** Splits changes if some need several operations, or must be in one transaction with others. */
function splitUnits(group: readonly ChangeSet[], limits: BatchLimits): Write[] {
  const batches: ChangeSet[][] = [];
  let current: ChangeSet[] = [];
  let [count, bytes, hasMessages] = [0, 0, false];
  // A marker is also an operation, unless a message serves as the marker.
  const hasMarker = needsMarker(group);
  const roomFor = (members: readonly ChangeSet[]): number =>
    limits.maxOperations - (hasMarker && !hasMessages && !members.some(sendsMessages) ? 1 : 0);
  const uniqueRows = new UniqueRows(group);
  const end = (): void => {
    batches.push(current);
    current = [];
    [count, bytes, hasMessages] = [0, 0, false];
    uniqueRows.clear();
  };
  const fits = (members: readonly ChangeSet[], operations: number, size: number): boolean =>
    count + operations <= roomFor(members) && bytes + size <= limits.maxBytes;
  for (const unit of uniqueRows.units) {
    const together = unit.reduce((sum, change) => sum + operationsOf(change), 0);
    const sizeTogether = unit.reduce((sum, change) => sum + bytesOf(change), 0);
    const isTogether = fits(unit, together, sizeTogether);
    if (current.length > 0 && (!isTogether || unit.some((change) => uniqueRows.takesTwice(change)))) end();
    for (const change of unit) {
      const own = operationsOf(change);
      const size = unit.length === 1 ? sizeTogether : bytesOf(change);
      // A unit that fits no transaction is sent in several.
      if (current.length > 0 && unit.length > 1 && !fits([change], own, size)) end();
      current.push(change);
      uniqueRows.add(change);
      count += own;
      bytes += size;
      hasMessages ||= sendsMessages(change);
    }
  }
  batches.push(current);
  return batches.map(batchOf);
}

const operationsOf = ({ indexRows, messages }: ChangeSet): number =>
  1 + (indexRows?.length ?? 0) + (messages?.length ?? 0);

const sendsMessages = ({ messages }: ChangeSet): boolean => messages !== undefined;

/** An upper limit of the bytes sent: exact JSON only if an estimate would waste much of a transaction. */
function bytesOf({ operation, bytes, indexRows, messages = noMessages }: ChangeSet): number {
  const own = messages.reduce(
    (sum, message) => sum + overheadBytes + message.bytes,
    bytesOfOperation(operation, bytes),
  );
  if (indexRows === undefined) return own;
  return indexRows.reduce((sum, indexRow) => sum + bytesOfOperation(indexRow.operation, bytes), own);
}

function bytesOfOperation(operation: WriteOperation, bytes: number): number {
  if (operation.type === "delete") return overheadBytes;
  const isSmall = bytes < 8192;
  // A UTF-16 unit takes at most 6 bytes of JSON (an escape), and the size counts two bytes for each.
  return overheadBytes + (isSmall ? bytes * 3 : jsonBytesOf(operation));
}

/** The error for an atomic save that needs several transactions. */
export function notAtomic(batches: readonly Write[], results: readonly SaveResult[]): SaveError {
  const sizes = batches.map(({ table, changes: [first, ...rest] }) => {
    const partition = JSON.stringify(first?.entry.key.partitionKey);
    return `${table} ${partition}: ${rest.length + 1}`;
  });
  const listed = sizes.length > 5 ? `${sizes.slice(0, 5).join(", ")}, …` : sizes.join(", ");
  return new SaveError(
    "save.not-atomic",
    `Nothing was sent: ${results.length} changes need ${batches.length} transactions (${listed}), but batch: "atomic" allows only one. A transaction is limited to 100 operations and 4 MiB in one table and partition.`,
    results,
  );
}
