import { TableError } from "./table-error.ts";

/** What kind of conflict: the key is taken, the entity is gone, or its ETag is another one now. */
export type ConflictReason = "exists" | "missing" | "etag";

const conflictText: Record<ConflictReason, string> = {
  exists: "an entity with this key is stored already",
  missing: "it is not stored, or no longer",
  etag: "somebody else changed it since it was read",
};

const chooseSides =
  'Call resolveConflict(entity, "mine" or "theirs", or a function that chooses for each property), then save again';
const remedies: Record<ConflictReason, string> = {
  exists: chooseSides,
  etag: chooseSides,
  missing:
    'Call resolveConflict(entity, "mine") to store it again, or "theirs" to give it up, then save again. A removal of what is gone already is no conflict with saveChanges({ removeMissing: "ignore" })',
};
const carefully =
  "If it must not be made twice, such as an increment or a claim, look at what is stored first: reload(entity) takes that over";

/** Somebody else was first. Codes `conflict.exists`, `conflict.missing`, `conflict.etag`. */
export class ConflictError extends TableError {
  readonly reason: ConflictReason;
  /**
   * Whether an earlier try of the same change may have been stored and then been overwritten: a change that must not
   * be made twice, such as an increment, is not to be repeated blindly.
   */
  readonly maybeApplied: boolean;

  constructor(reason: ConflictReason, subject: string, cause: unknown, maybeApplied = false) {
    const what = maybeApplied
      ? "may have been saved, by a try whose answer was lost, or not:"
      : "was not saved:";
    super(
      `conflict.${reason}`,
      `${subject} ${what} ${conflictText[reason]}. ${maybeApplied ? carefully : remedies[reason]}.`,
      { reason, subject, maybeApplied },
      { cause },
    );
    this.reason = reason;
    this.maybeApplied = maybeApplied;
  }
}
