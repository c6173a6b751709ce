import type { StoredEntity } from "../../values/edm/stored-entity.ts";
import { assignSystemValues } from "../../model/codec/decode-entity.ts";
import { type LoadedProperties, notLoaded, type Snapshot } from "../../model/codec/snapshot.ts";
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
import { isAsInSnapshot } from "../../model/codec/comparison.ts";
import { etagOf, isOfKind } from "../../model/codec/row-layout.ts";
import type { SnapshotValue } from "../../values/edm/serializer.ts";
import type { PropertyModel } from "../../model/declaration/entity-model.ts";
import { isMerge } from "../../storage/write-operation.ts";
import { isEdited } from "./entity-state.ts";
import type { IdentityMap } from "./identity-map.ts";
import { isAsKnown, mayWriteOver } from "./known-row.ts";
import { refreshFromRow } from "./merge-row.ts";
import { noMessages, type OutboxMessage } from "./outbox-message.ts";

/** Whether an entity is to be removed that, as it turns out, was never stored. */
export const removesUnstoredRow = ({ intent, snapshot, etag, mayBeStored }: TrackedEntity): boolean =>
  intent.type === "remove" && snapshot === undefined && etag === undefined && !mayBeStored;

/** What proves that a change is stored: the answer, or the row that was read back. */
export interface CommitProof {
  readonly etag?: string | undefined;
  readonly row?: StoredEntity | undefined;
  readonly isReadBack: boolean;
  /** The revision of the context since which it is stored. */
  readonly savedAt: number;
}

/**
 * Records that a change is stored: what was sent becomes the snapshot, so that edits made meanwhile stay changes; a
 * removed entity leaves the context.
 */
export function acceptCommitted(change: ChangeSet, proof: CommitProof, entities: IdentityMap): void {
  const { entry, after, explicitlyModified } = change;
  const { etag, row, savedAt, isReadBack } = proof;
  const conflicts = isReadBack ? entry.conflicts : undefined;
  entry.messages = messagesBeside(change);
  entry.isInFlight = false;
  entry.savedAt = savedAt;
  entry.reset();
  // A write that was proved later had its properties marked to be sent again; after an answer, all marks are new.
  if (isReadBack && explicitlyModified !== undefined && after !== undefined)
    entry.explicitlyModified = stillExplicit(entry, explicitlyModified, after);
  if (after === undefined) {
    acceptDeletion(entry, entities);
    return;
  }
  entry.replaced = undefined;
  if (entry.intent.type !== "remove") entry.intent = noIntent;
  if (isReadBack && entry.values !== change.known) return acceptOverRead(change, row, conflicts);
  const former = entry.etag;
  entry.snapshot = after;
  entry.etag = etag;
  if (row !== undefined) takeOver(entry, row, former);
  // The answer to a write does not have the new Timestamp; the old one would be wrong.
  else if (entry.model.etagProperty !== undefined || entry.model.timestampProperty !== undefined)
    assignSystemValues(entry.model, entry.entity as Record<string, unknown>, etag, undefined);
}

/**
 * Records that a change is stored whose entity has taken a row over since it was sent. What was read then is newer than what
 * was known when the change was made, so only what the change itself sent is new.
 */
function acceptOverRead(
  { entry, operation, after, known }: ChangeSet,
  row: StoredEntity | undefined,
  conflicts: readonly PropertyConflict[] = [],
): void {
  const { snapshot, model } = entry;
  if (snapshot === undefined || after === undefined) return;
  if (row !== undefined && etagOf(row) === entry.etag) {
    // Stored, and overwritten since by what was read: what was sent is no edit of it, unless the program said so.
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

  // Of a complete row, only edits count: the rest was sent as it was known then.
  function isSent({ storedName }: PropertyModel, i: number): boolean {
    if (!("entity" in operation)) return false;
    if (isMerge(operation)) return operation.entity[storedName] !== undefined;
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
 * Takes over the row that was read. If another program has changed it since, it is of that program's version: edits that were
 * made on ours must not be written under it. They stay under the former version, which is refused.
 */
function takeOver(entry: TrackedEntity, row: StoredEntity, former: string | undefined): void {
  if (!hasChanges(entry) || mayWriteOver(entry, row, entry.intent))
    return refresh(entry, row, entry.snapshot as Snapshot);
  entry.etag = former === "*" ? undefined : former;
  entry.isStale = true;
}

/**
 * Nothing more can be found out of what was sent for an entity that has no change any more: its row is read. If it still holds
 * all that is known, no other program has written it.
 */
export function takeSameRow(entry: TrackedEntity, row: StoredEntity | undefined): void {
  const { snapshot } = entry;
  if (row !== undefined && snapshot?.isComplete === true && isAsKnown(entry, row))
    refresh(entry, row, snapshot);
  else entry.isStale = true;
}

/** A row that cannot be read leaves the version unknown: the next change needs a reload, which says why. */
function refresh(entry: TrackedEntity, row: StoredEntity, after: Snapshot): void {
  if (!isOfKind(entry.model, row)) {
    // Another class has taken the key since.
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

/** What a snapshot knows of a row. */
const loadedIn = ({ isComplete, values }: Snapshot): LoadedProperties =>
  isComplete ? undefined : values.map((snapshotValue) => snapshotValue !== notLoaded);

/** What `update()` asked for and is not in what was proved stored: edits that were made since. */
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
    const isStored = isAsInSnapshot(property, after.values[i], values[property.name]);
    return (explicitlyModified === "all" || explicitlyModified.has(property)) && !(wasSent && isStored);
  });
  return left.length === 0 ? undefined : new Set(left);
}

/** Records that the row of a removal is gone, whoever removed it: nobody can find out more. */
export function acceptGone(entry: TrackedEntity, savedAt: number, entities: IdentityMap): void {
  entry.isInFlight = false;
  entry.savedAt = savedAt;
  entry.reset();
  acceptDeletion(entry, entities);
}

/**
 * The row is gone. An entity that was added back meanwhile is one to insert; one that was only read again has no row any
 * more, so that its next change is refused as a conflict.
 */
function acceptDeletion(entry: TrackedEntity, entities: IdentityMap): void {
  const { intent, snapshot } = entry;
  if (intent.type === "remove") entities.delete(entry);
  else if (intent.type === "none") entry.isStale = true;
  else {
    const undeclared = snapshot?.undeclared;
    entry.intent = { type: "add", ...(undeclared !== undefined && { undeclared }) };
    entry.snapshot = undefined;
    entry.etag = undefined;
  }
}

/** Records that a change is not stored, or not known to be: the entity stays as it was, with the reason. */
export function keepPending(change: ChangeSet, error: Error, entities: IdentityMap): void {
  const { entry, explicitlyModified, messages } = change;
  entry.isInFlight = false;
  noteFailure(entry, error);
  if (messages !== undefined) entry.messages = [...messages, ...messagesBeside(change)];
  // What only keeps an earlier write out is decided anew by each save.
  if (explicitlyModified !== undefined && !isRewrite(change))
    entry.explicitlyModified = union(entry.explicitlyModified, explicitlyModified);
  // Removed while its insert was under way, and the insert was refused: there is nothing to remove.
  if (removesUnstoredRow(entry)) entities.delete(entry);
}
