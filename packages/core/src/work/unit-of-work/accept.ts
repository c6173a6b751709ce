// Called by `recovery/outcome.ts` once the outcome of a change is known. It records a stored change in the snapshot,
// a deleted row, or a failure that leaves the change pending. The steps correspond to `finalize_flush_changes` in
// SQLAlchemy's orm/unitofwork.py.

import type { StoredEntity } from "../../values/edm/stored-entity.ts";
import { assignSystemValues } from "../../model/codec/decode-entity.ts";
import { type LoadedProperties, notLoaded, type Snapshot } from "../../model/codec/snapshot.ts";
import { holdsProperty } from "../../model/codec/supported-row.ts";
import {
  type ChangeSet,
  type ExplicitProperties,
  isRewrite,
  noIntent,
  noteFailure,
  type PropertyConflict,
  type TrackedEntity,
  union,
} from "./tracked-entity.ts";
import { valueIn } from "../../model/codec/embedded-values.ts";
import { isAsInSnapshot } from "../../model/codec/comparison.ts";
import { noteStored } from "../../model/codec/fill-entity.ts";
import { etagOf, isOfKind } from "../../model/codec/row-layout.ts";
import type { SnapshotValue } from "../../values/edm/serializer.ts";
import type { PropertyModel } from "../../model/declaration/entity-model.ts";
import { isMerge } from "../../storage/write-operation.ts";
import { isEdited } from "./entity-state.ts";
import type { IdentityMap } from "./identity-map.ts";
import { isAsKnown, mayWriteOver } from "./known-row.ts";
import { refreshFromRow } from "./merge-row.ts";
import { noMessages, type OutboxMessage } from "./outbox-message.ts";

/** Whether an entity is deleted although its row was never stored. */
export const removesUnstoredRow = ({ intent, snapshot, etag, mayBeStored }: TrackedEntity): boolean =>
  intent.type === "remove" && snapshot === undefined && etag === undefined && !mayBeStored;

/** The proof that a change is stored: the response, or the row that was read back. */
export interface CommitProof {
  readonly etag?: string | undefined;
  readonly row?: StoredEntity | undefined;
  readonly isReadBack: boolean;
  /** The revision of the context since which it is stored. */
  readonly savedAt: number;
}

/**
 * Records that a change is stored: the values that were sent become the snapshot, so edits made meanwhile stay
 * changes; a deleted entity leaves the context.
 */
export function acceptCommitted(change: ChangeSet, proof: CommitProof, entities: IdentityMap): void {
  const { entry, after, explicitlyModified } = change;
  const { etag, row, savedAt, isReadBack } = proof;
  const conflicts = isReadBack ? entry.conflicts : undefined;
  entry.messages = messagesBeside(change);
  entry.isInFlight = false;
  entry.savedAt = savedAt;
  entry.reset();
  entry.isUnread = false;
  // A write that was proved later had its properties marked to be sent again; after a response, all marks are new.
  if (isReadBack && explicitlyModified !== undefined && after !== undefined)
    entry.explicitlyModified = stillExplicit(entry, explicitlyModified, after);
  if (after === undefined) {
    acceptDeletion(entry, entities);
    return;
  }
  if (entry.model.generated.length > 0) noteStored(entry.entity);
  entities.endReplacement(entry);
  if (entry.intent.type !== "remove") entry.intent = noIntent;
  if (isReadBack && entry.values !== change.known) return acceptOverRead(change, row, conflicts);
  const former = entry.etag;
  entry.snapshot = after;
  entry.etag = etag;
  if (row !== undefined) takeOver(entry, row, former);
  // The response to a write does not have the new Timestamp; the old one would be wrong.
  else if (entry.model.etagProperty !== undefined || entry.model.timestampProperty !== undefined)
    assignSystemValues(entry.model, entry.entity as Record<string, unknown>, etag, undefined);
}

/**
 * Records that a change is stored after its entity accepted a row that was read since the change was sent. That row is
 * newer than the snapshot of the change, so only the values that the change itself sent are new.
 */
function acceptOverRead(
  { entry, operation, after, known }: ChangeSet,
  row: StoredEntity | undefined,
  conflicts: readonly PropertyConflict[] = [],
): void {
  const { snapshot, model } = entry;
  if (snapshot === undefined || after === undefined) return;
  if (row !== undefined && etagOf(row) === entry.etag) {
    // Stored, and overwritten since by the row that was read. The sent values are not edits of that row, unless the
    // program named them.
    if (conflicts.length === 0) return;
    const overwritten = new Set(conflicts.map(({ property }) => property));
    entry.snapshot = withSent((property, i) => overwritten.has(property.name) && isSent(property, i));
    return refresh(entry, row, snapshot);
  }
  const { intent, key } = entry;
  if (row !== undefined && mayWriteOver({ model, key, snapshot: after }, row, intent))
    return refresh(entry, row, after);
  const isPending = hasChanges(entry);
  if (isPending) entry.snapshot = withSent(isSent);
  if (row !== undefined) takeOver(entry, row, entry.etag);
  else if (isPending) entry.etag = undefined;

  // In a complete row, only edits count: other values were sent as then known.
  function isSent(property: PropertyModel, i: number): boolean {
    if (!("entity" in operation)) return false;
    if (isMerge(operation)) return holdsProperty(model, operation.entity, property);
    return !Object.is(after?.values[i], known?.[i]);
  }

  function withSent(isTaken: typeof isSent): Snapshot {
    const take = (value: SnapshotValue, i: number): SnapshotValue =>
      isTaken(model.properties[i] as PropertyModel, i) ? after?.values[i] : value;
    return { ...(snapshot as Snapshot), values: (snapshot as Snapshot).values.map(take) };
  }
}

export const hasChanges = (entry: TrackedEntity): boolean =>
  entry.intent.type !== "none" || entry.explicitlyModified !== undefined || isEdited(entry);

/**
 * Accepts the row that was read. If another program has changed it since, it has that program's version, and our edits
 * must not be written under it. They stay under the former version, which is refused.
 */
function takeOver(entry: TrackedEntity, row: StoredEntity, former: string | undefined): void {
  if (!hasChanges(entry) || mayWriteOver(entry, row, entry.intent))
    return refresh(entry, row, entry.snapshot as Snapshot);
  entry.etag = former === "*" ? undefined : former;
  entry.isStale = true;
}

/**
 * The outcome of the last write cannot be found out for an entity without remaining changes, so its row is read. If the
 * row still has all known values, no other program has written it.
 */
export function takeSameRow(entry: TrackedEntity, row: StoredEntity | undefined): void {
  const { snapshot } = entry;
  if (row !== undefined && snapshot?.isComplete === true && isAsKnown(entry, row))
    refresh(entry, row, snapshot);
  else entry.isStale = true;
}

/** A row that cannot be read leaves the version unknown: the next change needs a reload, which reports the reason. */
function refresh(entry: TrackedEntity, row: StoredEntity, after: Snapshot): void {
  if (!isOfKind(entry.model, row) || entry.home?.scope?.holds(entry.model, row) === false) {
    // Another class, or another scope, has taken the key since.
    entry.etag = undefined;
    entry.isStale = true;
    return;
  }
  try {
    refreshFromRow(entry, row, "preserveChanges", { loaded: loadedIn(after) });
  } catch {
    entry.etag = undefined;
  }
}

/** Messages of a change's entity that are not sent with it. */
export const messagesBeside = ({ entry, messages: sent = noMessages }: ChangeSet): readonly OutboxMessage[] =>
  sent.length === 0 ? entry.messages : entry.messages.filter((message) => !sent.includes(message));

/** The properties of a row that a snapshot has. */
const loadedIn = ({ isComplete, values }: Snapshot): LoadedProperties =>
  isComplete ? undefined : values.map((snapshotValue) => snapshotValue !== notLoaded);

/** The properties that `update()` named and that are not in the stored values: edits that were made since. */
function stillExplicit(
  entry: TrackedEntity,
  sent: ExplicitProperties,
  after: Snapshot,
): ExplicitProperties | undefined {
  const { model, explicitlyModified } = entry;
  // Nothing was named since it was sent.
  if (explicitlyModified === undefined || (explicitlyModified === sent && sent !== "all")) return undefined;
  const values = entry.entity as Readonly<Record<string, unknown>>;
  const left = model.properties.filter((property, i) => {
    const wasSent = sent === "all" || sent.has(property);
    const isStored = isAsInSnapshot(property, after.values[i], valueIn(property, values));
    return (explicitlyModified === "all" || explicitlyModified.has(property)) && !(wasSent && isStored);
  });
  return left.length === 0 ? undefined : new Set(left);
}

/** Records that the row of a delete no longer exists; which program deleted it cannot be found out. */
export function acceptGone(entry: TrackedEntity, savedAt: number, entities: IdentityMap): void {
  entry.isInFlight = false;
  entry.savedAt = savedAt;
  entry.reset();
  acceptDeletion(entry, entities);
}

/**
 * The row no longer exists. An entity that was added back meanwhile becomes an insert; one that was only read again
 * has no row now, so its next change is refused as a conflict.
 */
function acceptDeletion(entry: TrackedEntity, entities: IdentityMap): void {
  const { intent, snapshot } = entry;
  if (intent.type === "remove") {
    if (entities.hasLists) entities.lists.takeOut(entry.entity);
    entities.delete(entry);
  } else if (intent.type === "none") entry.isStale = true;
  else {
    const undeclared = snapshot?.undeclared;
    entry.intent = { type: "add", ...(undeclared !== undefined && { undeclared }) };
    entry.snapshot = undefined;
    entry.etag = undefined;
  }
}

/** Records that a change is not stored, or not known to be: the entity keeps its state, with the error. */
export function keepPending(change: ChangeSet, error: Error, entities: IdentityMap): void {
  const { entry, explicitlyModified, messages } = change;
  entry.isInFlight = false;
  noteFailure(entry, error);
  if (messages !== undefined) entry.messages = [...messages, ...messagesBeside(change)];
  // Each save decides again whether a rewrite is needed to refuse an earlier write.
  if (explicitlyModified !== undefined && !isRewrite(change))
    entry.explicitlyModified = union(entry.explicitlyModified, explicitlyModified);
  // Deleted while its insert was in progress, and the insert was refused: nothing to delete.
  if (removesUnstoredRow(entry)) entities.delete(entry);
}
