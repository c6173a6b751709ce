import { brand } from "./brand.ts";
import { TableError } from "./table-error.ts";
import { UniqueValueTaken } from "./unique-value-taken.ts";

/**
 * The kind of conflict: the key is taken (`exists`), the entity no longer exists (`missing`), its ETag changed
 * (`etag`), another entity has a value that a unique index allows only once (`unique`), or other programs are storing
 * such a value (`busy`).
 */
export type ConflictReason = "exists" | "missing" | "etag" | "unique" | "busy";

const conflictText: Record<ConflictReason, string> = {
  exists: "an entity with this key is stored already",
  missing: "no entity with this key is stored",
  etag: "another writer changed it since it was read",
  unique: "another entity has a value that must be unique",
  busy: "other programs are storing a value that must be unique",
};

const chooseSides =
  'Call resolveConflict(entity, "mine" or "theirs", or a function that chooses for each property), then save again';
const remedies: Record<ConflictReason, string> = {
  exists: chooseSides,
  etag: chooseSides,
  unique: "Assign another value, or change the entity that has it, then save again",
  busy: "Save again after a moment",
  missing:
    'Call resolveConflict(entity, "mine") to store it again, or "theirs" to detach it, then save again. With saveChanges({ removeMissing: "ignore" }), deleting an entity that no longer exists is not a conflict',
};
const carefully =
  "If the change must not be made twice, such as an increment or a claim, read the stored values first with reload(entity)";

/**
 * A write was refused because another writer was first. Codes `conflict.exists`, `conflict.missing`, `conflict.etag`,
 * `conflict.unique`, `conflict.busy`.
 */
export class ConflictError extends TableError {
  static {
    brand(this, "ConflictError");
  }

  readonly reason: ConflictReason;
  /**
   * Whether an earlier attempt of the same change may have been stored and then overwritten. If so, don't repeat a
   * change blindly that must not be made twice, such as an increment.
   */
  readonly maybeApplied: boolean;
  /** The unique index that refused the change, and its properties; undefined for other reasons. */
  readonly unique: { readonly index: string; readonly properties: readonly string[] } | undefined;

  constructor(reason: ConflictReason, subject: string, cause: unknown, maybeApplied = false) {
    const what = maybeApplied
      ? "may or may not have been saved by an attempt with a lost response:"
      : "was not saved:";
    const unique = UniqueValueTaken.is(cause)
      ? { index: cause.indexName, properties: cause.properties }
      : undefined;
    const who = reason === "busy" ? "other programs are storing" : "another entity has";
    const text =
      unique === undefined
        ? conflictText[reason]
        : `${who} this value of ${unique.properties.join(", ")}, which must be unique in the index ${unique.index}`;
    super(
      `conflict.${reason}`,
      `${subject} ${what} ${text}. ${maybeApplied ? carefully : remedies[reason]}.`,
      { reason, subject, maybeApplied, ...(unique && { ...unique }) },
      { cause },
    );
    this.reason = reason;
    this.maybeApplied = maybeApplied;
    this.unique = unique;
  }
}
