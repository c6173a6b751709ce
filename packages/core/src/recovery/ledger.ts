import { hasSameProperty } from "../edm/same-value.ts";
import { isSystemName, type StoredEntity } from "../edm/stored-entity.ts";
import { markerRowKey } from "../codec/commit-rows.ts";
import { hasWriteIds, isWriteId } from "../codec/row-layout.ts";
import type { SaveResult } from "../unit-of-work/save-result.ts";
import type { ChangeSet, InDoubtWrite, Write } from "../unit-of-work/tracked-entity.ts";
import { newWriteId, withWriteId } from "../unit-of-work/write-id.ts";
import type { ChangeTracker } from "../unit-of-work/change-tracker.ts";
import { neverKnown, unknownOutcomes } from "./outcome.ts";

/*
 * Each entity has a ledger, `inDoubt`: its writes with attempts whose outcome is not known. A change that is not altered
 * between two saves is the same write, whatever request it is sent in: what one attempt is refused says nothing of an
 * earlier one that may still take effect.
 */

/**
 * Gives writes their identity: a new id for rows or marker, where the table asks for it; or that of an earlier save, of
 * which it repeats the whole transaction unaltered. One that sends messages is known by the first of them.
 */
export function identifyWrites(writes: readonly Write[]): Write[] {
  let id: string | undefined;
  return writes.map((write) => {
    const [first] = write.changes;
    if (first === undefined) return write;
    // A message is stored once: what sends one is no repetition of an earlier write.
    const [message] = write.outbox ?? [];
    const earlier =
      message === undefined ? first.entry.inDoubt.find((one) => isSameWrite(one, write)) : undefined;
    if (earlier !== undefined) return { ...write, changes: asSentBefore(write, earlier), earlier };
    id ??= newWriteId();
    const changes = write.changes.map((change) => marked(change, id as string));
    if (message !== undefined) return { ...write, changes, marker: message.row.RowKey };
    if (first.entry.model.options.proof === "marker") return { ...write, marker: markerRowKey(newWriteId()) };
    return { ...write, changes };
  });
}

const marked = (change: ChangeSet, id: string): ChangeSet =>
  hasWriteIds(change.entry.model) ? withWriteId(change, id) : change;

const isSameWrite = (earlier: InDoubtWrite, { changes }: Write): boolean =>
  earlier.marker === undefined &&
  earlier.changes.length === changes.length &&
  changes.every((change) => sentBefore(earlier, change) !== undefined);

/** The changes with the operations of an earlier save: the ids in their rows are the same then. */
const asSentBefore = ({ changes }: Write, earlier: InDoubtWrite): ChangeSet[] =>
  changes.map((change) => ({ ...change, operation: (sentBefore(earlier, change) ?? change).operation }));

/** The same change as an earlier write sent it. */
const sentBefore = ({ changes }: InDoubtWrite, change: ChangeSet): ChangeSet | undefined =>
  changes.find((sent) => isSameChange(sent, change));

/** Whether two changes send the same to the same row of one entity, ids of writes aside. */
export function isSameChange(sent: ChangeSet, change: ChangeSet): boolean {
  const [a, b] = [sent.operation, change.operation];
  const [etag, other] = [a, b].map((operation) => ("etag" in operation ? operation.etag : undefined));
  if (sent.entry !== change.entry || a.type !== b.type || etag !== other) return false;
  return a.type === "delete" || b.type === "delete" || hasSameValues(change, a.entity, b.entity);
}

function hasSameValues({ entry: { model } }: ChangeSet, a: StoredEntity, b: StoredEntity): boolean {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  for (const name of names)
    if (!isSystemName(name) && !isWriteId(model, name) && !hasSameProperty(a, b, name)) return false;
  return true;
}

/**
 * The results of a save, of which nothing counts as rejected that an earlier attempt may have stored, or may yet.
 *
 * @param changes - what the save was to send
 */
export function unlessInDoubt(
  { entities }: ChangeTracker,
  changes: readonly ChangeSet[],
  results: readonly SaveResult[],
): readonly SaveResult[] {
  const changeOf = new Map(changes.map((change) => [change.entry.entity, change]));
  return results.map((result) => {
    const change = changeOf.get(result.entity);
    if (result.outcome !== "rejected" || change === undefined) return result;
    const entry = entities.ofEntity(result.entity);
    const isRepeated = (write: InDoubtWrite): boolean => sentBefore(write, change) !== undefined;
    const earlier = entry?.inDoubt.findLast(isRepeated);
    if (earlier !== undefined) return stillUnknown(result, change, earlier);
    const lost = entry?.neverKnown.findLast(isRepeated);
    return lost === undefined ? result : neverKnown(change, causeOf(result, lost), result.attempts).result;
  });
}

function stillUnknown(result: SaveResult, change: ChangeSet, earlier: InDoubtWrite): SaveResult {
  const alone = { ...earlier, changes: [change] };
  const [outcome] = unknownOutcomes(alone, causeOf(result, earlier), result.attempts);
  return outcome?.result ?? result;
}

const causeOf = ({ error }: SaveResult, earlier: InDoubtWrite): unknown =>
  error?.cause ?? error ?? earlier.error;
