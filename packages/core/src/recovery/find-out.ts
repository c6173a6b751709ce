import type { StoredEntity } from "../edm/stored-entity.ts";
import { mayHaveLostMarker } from "../unit-of-work/in-doubt-write.ts";
import type { Evidence, RemoveMissing } from "../unit-of-work/save-result.ts";
import type { InDoubtWrite } from "../unit-of-work/tracked-entity.ts";
import { closeWrite } from "./close-write.ts";
import type { RowEvidence, Verdict } from "./judge-write.ts";
import type { Outcome, RecoverySource } from "./outcome.ts";
import { acceptMarked, acceptRows, findRows, rowsOf } from "./prove-write.ts";

/** What is known of a write in doubt by now. */
export interface Finding {
  readonly verdict: Verdict;
  readonly evidence: Evidence;
  /** What each row says, in the order of the changes; none where a marker said it. */
  readonly members: readonly RowEvidence[];
  /** As they are stored, in the order of the changes. */
  readonly rows: readonly (StoredEntity | undefined)[];
  /** The outcomes, where it was applied. */
  outcomes(): Outcome[];
}

/** How a write is asked about. */
export interface FindOutOptions {
  readonly removeMissing?: RemoveMissing;
  readonly signal?: AbortSignal | undefined;
}

/** Asks the marker of a write in doubt, or its rows; undefined when the store did not answer. */
export async function findOut(
  source: RecoverySource,
  write: InDoubtWrite,
  { signal, removeMissing }: FindOutOptions,
): Promise<Finding | undefined> {
  if (write.marker !== undefined) return askMarker(source, write, signal);
  const found = await findRows(source.storage, write, signal);
  if (found === undefined) return undefined;
  const proof = {
    evidence: "content",
    attempts: 0,
    removeMissing: removeMissingOf(write, removeMissing),
    cause: write.error,
  } as const;
  return { ...found, evidence: "content", outcomes: () => acceptRows(write.changes, found.rows, proof) };
}

/** A save that was to take a row by removing it stays one, whoever asks what became of it. */
export const removeMissingOf = (
  write: InDoubtWrite,
  asked: RemoveMissing | undefined,
): RemoveMissing | undefined => (write.removeMissing === "error" ? "error" : asked);

async function askMarker(
  { storage, retries }: RecoverySource,
  write: InDoubtWrite,
  signal: AbortSignal | undefined,
): Promise<Finding | undefined> {
  const mayBeSwept = mayHaveLostMarker(write);
  const verdict = await closeWrite(storage, write, retries, signal);
  if (verdict === undefined) return undefined;
  const finding = { evidence: "marker", members: [] } as const;
  if (verdict === "never") {
    const rows = await rowsOf(storage, write, signal);
    // No attempt can be carried out any more, but one may have been, long ago.
    if (mayBeSwept) {
      const members = write.changes.map(() => "unclear" as const);
      return { ...finding, verdict: "undecided", members, rows, outcomes: () => [] };
    }
    return { ...finding, verdict: "disproved", rows, outcomes: () => [] };
  }
  const outcomes = await acceptMarked(storage, write, 0, signal);
  return { ...finding, verdict: "applied", rows: [], outcomes: () => outcomes };
}
