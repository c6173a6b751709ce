// `send-batches.ts` calls `transactIndexed` for changes of classes with indexes. It sends the changes and their index
// rows in one transaction. If an index row causes a refusal, it reads that row, repairs the write and sends the
// transaction again.

import { ownerProperty } from "../../model/codec/index-rows.ts";
import { etagOf } from "../../model/codec/row-layout.ts";
import type { StoredEntity } from "../../values/edm/stored-entity.ts";
import { StorageError } from "../../values/errors/storage-error.ts";
import type { ConflictReason } from "../../values/errors/conflict-error.ts";
import { conflictReason, isOvertaken } from "../../storage/conflict-reason.ts";
import { inParallel, pointReads } from "../../storage/in-parallel.ts";
import type { RowStorage } from "../../storage/store-engine.ts";
import { keyOfOperation, type WriteOperation, type WriteResult } from "../../storage/write-operation.ts";
import { rowKeyOfIndexRow, withIndexRows } from "../unit-of-work/index-rows.ts";
import type { ChangeSet, IndexRow } from "../unit-of-work/tracked-entity.ts";
import { holdsValue } from "../claims/holds-value.ts";
import { valueTaken } from "../claims/value-taken.ts";
import type { Claim } from "../claims/claim.ts";
import { storedNow } from "./learn-rows.ts";

/** How often one transaction is sent again after repairs. */
const maxRepairs = 5;

/** The changes of a transaction; a change is replaced if another write is sent than was planned. */
export interface LiveBatch {
  readonly table: string;
  changes: readonly ChangeSet[];
  /** The claim to its values that are unique over the table, if it stores any. */
  readonly claim?: Claim | undefined;
}

interface IndexedTransaction {
  readonly storage: RowStorage;
  readonly batch: LiveBatch;
  readonly signal: AbortSignal | undefined;
  /** Whether an earlier attempt may be stored; then nothing is read and computed again. */
  readonly isInDoubt: boolean;
  /** Sends operations as one transaction. */
  readonly send: (operations: readonly WriteOperation[]) => Promise<readonly WriteResult[]>;
}

/** A write of a row in an index, and the change that it belongs to. */
interface Member {
  readonly at: number;
  readonly indexRow: IndexRow;
  readonly operation: WriteOperation;
}

/**
 * Sends changes together with their index rows. The entities' own rows come first: if an index row is refused, the
 * conditions on the entities' own rows held.
 *
 * - An index row to delete or change may be missing: another program deleted it, or the index is still being built. The
 *   transaction is sent again without the delete, or with the complete row.
 * - An existing row of a unique index is overwritten if its entity does not have the value.
 * - An unconditional write is computed again from the stored row if that has changed since.
 *
 * @returns the results of the changes alone
 * @throws StorageError with the `index` of a change; UniqueValueTaken
 */
export async function transactIndexed(transaction: IndexedTransaction): Promise<readonly WriteResult[]> {
  const { batch, send } = transaction;
  let members = await membersOf(transaction);
  for (let repairs = 0; ; repairs++) {
    const own = batch.changes.map(({ operation }) => operation);
    try {
      const results = await send([...own, ...members.map(({ operation }) => operation)]);
      return results.slice(0, own.length);
    } catch (error) {
      if (!StorageError.is(error) || error.index === undefined) throw error;
      const member = members[error.index - own.length];
      const at = member?.at ?? error.index;
      const refused = member === undefined ? error : error.atIndex(at);
      if (error.applied !== "no" || repairs === maxRepairs) throw refused;
      const repaired =
        member === undefined
          ? await changedAnew(transaction, at, error)
          : await repairedMembers(transaction, members, member, error);
      if (repaired === undefined) throw refused;
      members = repaired;
    }
  }
}

/**
 * The index writes, one for each row: if one entity gives up a unique value and another takes it, that is one write.
 */
async function membersOf(transaction: IndexedTransaction): Promise<Member[]> {
  const byKey = new Map<string, Member>();
  for (const member of await ownMembers(transaction)) {
    const key = rowKeyOfIndexRow(member.indexRow);
    const other = byKey.get(key);
    if (other === undefined) byKey.set(key, member);
    else if (member.operation.type === "delete") byKey.set(key, asReplacing(other));
    else if (other.operation.type === "delete") byKey.set(key, asReplacing(member));
    else throw valueTaken({ index: member.indexRow.index, at: member.at });
  }
  return [...byKey.values()];
}

/**
 * All index writes, without deletes of unique rows that belong to another entity: if a program that does not know the
 * index has stored a value twice, the row belongs to one of the two.
 */
async function ownMembers({ storage, batch, signal }: IndexedTransaction): Promise<Member[]> {
  const all = batch.changes.flatMap(({ indexRows = [] }, at) =>
    indexRows.map((indexRow): Member => ({ at, indexRow, operation: indexRow.operation })),
  );
  const isRelease = ({ indexRow, operation }: Member): boolean =>
    indexRow.index.isUnique && operation.type === "delete";
  if (!all.some(isRelease)) return all;
  const options = { mayBeStale: false, ...(signal && { signal }) };
  const own = await inParallel(all, pointReads, async (member) => {
    if (!isRelease(member) || member.indexRow.isChecked === true) return member;
    const row = await storage.get(batch.table, keyOfOperation(member.operation), options);
    // The owner cannot change while the entity's own row is unchanged since the read.
    return row?.[ownerProperty] === batch.changes[member.at]?.entry.rowKey ? member : undefined;
  });
  return own.filter((member) => member !== undefined);
}

/** The row that another entity of the same transaction gives up: its version is that entity's own. */
const asReplacing = (member: Member): Member =>
  "entity" in member.operation
    ? { ...member, operation: { type: "upsert-replace", entity: member.operation.entity } }
    : member;

/** The index writes after a refusal of one of them; undefined if nothing else can be tried. */
async function repairedMembers(
  transaction: IndexedTransaction,
  members: readonly Member[],
  member: Member,
  error: StorageError,
): Promise<Member[] | undefined> {
  const { operation, indexRow } = member;
  const others = members.filter((each) => each !== member);
  const reason = conflictReason(error);
  const isLost = isOvertaken(error) && (operation.type === "delete" || operation.type === "merge");
  if (isLost) return withoutLost(transaction, members);
  const isUniqueRow = indexRow.index.isUnique && operation.type !== "delete";
  if (!isUniqueRow || (reason !== "exists" && reason !== "etag" && reason !== "missing")) return undefined;
  const now = await overOrphan(transaction, member, error);
  return [...others, { ...member, operation: now }];
}

/** The index writes in a form that succeeds with any stored rows: if one row was lost, others may be. */
async function withoutLost(
  transaction: IndexedTransaction,
  members: readonly Member[],
): Promise<Member[] | undefined> {
  const { storage, batch, signal } = transaction;
  const options = { mayBeStale: false, ...(signal && { signal }) };
  let isKnown = true;
  const found = await inParallel(members, pointReads, async (member): Promise<Member | undefined> => {
    const { operation, indexRow } = member;
    if (operation.type === "delete")
      return (await storage.get(batch.table, operation.key, options)) && member;
    if (operation.type !== "merge") return member;
    const entity = indexRow.whole?.() ?? (await wholeRow(transaction, member));
    isKnown &&= entity !== undefined;
    return entity && { ...member, operation: { type: "upsert-replace", entity } };
  });
  return isKnown ? found.filter((each) => each !== undefined) : undefined;
}

/** The index row of an entity that is only partly known, built from its stored row. */
async function wholeRow(
  { storage, batch, signal }: IndexedTransaction,
  { at, indexRow }: Member,
): Promise<StoredEntity | undefined> {
  const change = batch.changes[at] as ChangeSet;
  const read = await storedNow(storage, change.entry, signal);
  const isSame = "etag" in change.operation && change.operation.etag === read.etag;
  if (!isSame) return undefined;
  const again = withIndexRows(change, read).indexRows ?? [];
  return again.find(({ index }) => index === indexRow.index)?.whole?.();
}

/**
 * The write to send if a row of a unique index exists.
 *
 * @throws UniqueValueTaken if another entity has the value
 */
async function overOrphan(
  { storage, batch: { table, changes }, signal }: IndexedTransaction,
  { at, indexRow, operation }: Member,
  cause: StorageError,
): Promise<WriteOperation> {
  const { index } = indexRow;
  const { entity } = operation as Extract<WriteOperation, { readonly entity: StoredEntity }>;
  const options = { mayBeStale: false, ...(signal && { signal }) };
  const key = keyOfOperation(operation);
  const found = await storage.get(table, key, options);
  if (found === undefined) return { type: "insert", entity };
  const owner = { partitionKey: key.partitionKey, rowKey: String(found[ownerProperty]) };
  const { model, rowKey } = (changes[at] as ChangeSet).entry;
  const value = { model, index, rowKey: key.rowKey };
  if (owner.rowKey !== rowKey && (await holdsValue({ storage, table, signal }, value, owner)))
    throw valueTaken({ index, at }, cause);
  return { type: "replace", entity, etag: etagOf(found) ?? "*" };
}

/** The index rows after computing an unconditional change again from the stored row. */
async function changedAnew(
  transaction: IndexedTransaction,
  at: number,
  error: StorageError,
): Promise<Member[] | undefined> {
  const { storage, batch, signal, isInDoubt } = transaction;
  const change = batch.changes[at];
  // Other values may need other claims.
  if (isInDoubt || change === undefined || batch.claim !== undefined) return undefined;
  const changed = await withStoredNow(storage, change, conflictReason(error), signal);
  if (changed === undefined) return undefined;
  batch.changes = batch.changes.with(at, changed);
  return membersOf(transaction);
}

/**
 * An unconditional change that was refused, computed again from the stored row; undefined if the refusal is final.
 */
export async function withStoredNow(
  storage: RowStorage,
  change: ChangeSet,
  reason: ConflictReason | undefined,
  signal: AbortSignal | undefined,
): Promise<ChangeSet | undefined> {
  if (change.unconditional === undefined || reason === undefined) return undefined;
  const read = await storedNow(storage, change.entry, signal, change.entry.home?.scope);
  // If the row must exist and does not, the original refusal is reported.
  if (reason === "missing" && read.etag === undefined && "etag" in change.unconditional) return undefined;
  return withIndexRows(change, read);
}
