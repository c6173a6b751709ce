import { hasSameProperties } from "../edm/same-value.ts";
import { isMerge } from "../storage/write-operation.ts";
import type { SaveResult } from "../unit-of-work/save-result.ts";
import type { ChangeSet, InDoubtWrite, Write } from "../unit-of-work/tracked-entity.ts";
import type { ChangeTracker } from "../unit-of-work/change-tracker.ts";
import { isOver } from "../unit-of-work/in-doubt-write.ts";
import { holds } from "./judge-write.ts";
import { newMarkerKey } from "./marker-key.ts";
import { neverKnown, unknownOutcomes } from "./outcome.ts";

/*
 * Each entity has a ledger, `inDoubt`: its writes with attempts whose outcome is not known. A change that is not altered
 * between two saves is the same write, whatever request it is sent in: what one attempt is refused says nothing of an
 * earlier one that may still take effect.
 */

/** Gives writes their markers, where the table asks for it; one that sends messages is known by the first of them. */
export const identifyWrites = (writes: readonly Write[]): Write[] =>
  writes.map((write) => {
    const [message] = write.outbox ?? [];
    if (message !== undefined) return { ...write, marker: message.row.RowKey };
    const isMarked = write.changes[0]?.entry.model.options.proof === "marker";
    return isMarked ? { ...write, marker: newMarkerKey() } : write;
  });

/**
 * Whether two changes ask for the same, as their user sees it: the version that one of them is conditional on does not count,
 * nor whether it is sent in part or whole.
 */
export function asksForSame(sent: ChangeSet, change: ChangeSet): boolean {
  if (sent.entry !== change.entry) return false;
  const [a, b] = [sent.operation, change.operation];
  if (a.type === "delete" || b.type === "delete") return a.type === b.type;
  if (isMerge(a) === isMerge(b)) return hasSameProperties(a.entity, b.entity);
  return isMerge(a) ? holds(b.entity, a.entity) : holds(a.entity, b.entity);
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
    const isRepeated = ({ changes: sent }: InDoubtWrite): boolean =>
      sent.some((one) => asksForSame(one, change));
    const earlier = entry?.inDoubt.findLast(isRepeated);
    if (earlier !== undefined) return stillUnknown(result, change, earlier);
    const lost = entry?.neverKnown.findLast(isRepeated);
    if (lost === undefined) return result;
    return isOver(lost)
      ? neverKnown(change, causeOf(result, lost), result.attempts).result
      : stillUnknown(result, change, lost);
  });
}

function stillUnknown(result: SaveResult, change: ChangeSet, earlier: InDoubtWrite): SaveResult {
  const alone = { ...earlier, changes: [change] };
  const [outcome] = unknownOutcomes(alone, causeOf(result, earlier), result.attempts);
  return outcome?.result ?? result;
}

const causeOf = ({ error }: SaveResult, earlier: InDoubtWrite): unknown =>
  error?.cause ?? error ?? earlier.error;
