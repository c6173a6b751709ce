import type { TableStorage } from "../storage/table-storage.ts";
import { acceptCommitted, disproveEarlier, keepPending } from "../unit-of-work/accept.ts";
import type { ChangeTracker } from "../unit-of-work/change-tracker.ts";
import type { Outcome } from "./outcome.ts";

/** Whose writes are in doubt. */
export interface RecoverySource {
  readonly storage: TableStorage;
  readonly tracker: ChangeTracker;
  /** Errors that came after a write, and are thrown at the end. */
  readonly lateErrors: unknown[];
}

/** Lets outcomes take effect on the entities they are of. */
export const applyTo =
  ({ tracker, lateErrors }: RecoverySource) =>
  (outcomes: readonly Outcome[]): void =>
    applyOutcomes(outcomes, tracker, lateErrors);

/** Records what is known of each change; an entity that cannot take it does not keep the others from theirs. */
function applyOutcomes(outcomes: readonly Outcome[], tracker: ChangeTracker, lateErrors: unknown[]): void {
  const savedAt = ++tracker.clock;
  for (const { change, result, row, uncertain, isReadBack } of outcomes) {
    try {
      if (result.outcome !== "committed") {
        keepPending(change, result.error as Error, uncertain, tracker.entities);
        continue;
      }
      if (isReadBack !== true) disproveEarlier(change, tracker.entities);
      acceptCommitted(
        change,
        { etag: result.etag, row, savedAt, isReadBack: isReadBack === true },
        tracker.entities,
      );
      if (change.after === undefined) tracker.noteRemoved(change.entry);
    } catch (error) {
      lateErrors.push(error);
    }
  }
}
