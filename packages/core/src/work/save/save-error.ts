import { brand } from "../../values/errors/brand.ts";
import { ConflictError } from "../../values/errors/conflict-error.ts";
import { TableError } from "../../values/errors/table-error.ts";
import { ValidationError } from "../../values/errors/validation-error.ts";
import type { SaveResult } from "../unit-of-work/save-result.ts";

/** A constraint that an entity of a save does not meet. */
export interface EntityViolation {
  readonly entity: object;
  /** Class, table and key, for messages. */
  readonly subject: string;
  /** The property, or a path into it. */
  readonly property: string;
  /** What is wrong, without the value. */
  readonly message: string;
}

/**
 * A save was refused before sending (`save.invalid`, `save.not-atomic`), done in part (`save.failed`), done whole
 * while a hook failed after it (`save.hook-failed`), or ended on the way through a query (`save.stopped`).
 * `results` has one entry per change; what was committed stays committed.
 */
export class SaveError extends TableError {
  static {
    brand(this, "SaveError");
  }

  readonly results: readonly SaveResult[];

  constructor(code: string, message: string, results: readonly SaveResult[], cause?: unknown) {
    const reason = cause ?? results.find((r) => r.error !== undefined && r.aborted !== true)?.error;
    super(code, message, {}, reason === undefined ? undefined : { cause: reason });
    this.results = results;
    // Results hold entities: kept out of the default print, so that no property value reaches a log by accident.
    Object.defineProperty(this, "results", { enumerable: false });
  }

  /** The changes that are certainly not stored. */
  get rejected(): readonly SaveResult[] {
    return this.results.filter((r) => r.outcome === "rejected");
  }

  /** The changes that are certainly stored. */
  get committed(): readonly SaveResult[] {
    return this.results.filter((r) => r.outcome === "committed");
  }

  /** The changes that were refused because somebody else was first; `error` is a ConflictError. */
  get conflicts(): readonly (SaveResult & { readonly error: ConflictError })[] {
    return this.results.filter((r): r is SaveResult & { readonly error: ConflictError } =>
      ConflictError.is(r.error),
    );
  }

  /** Every constraint that an entity of this save does not meet. */
  get violations(): readonly EntityViolation[] {
    return this.results.flatMap(({ entity, subject, error }) =>
      ValidationError.is(error)
        ? error.violations.map((violation) => ({ entity, subject, ...violation }))
        : [],
    );
  }

  /** The changes of which neither can be said. */
  get unknown(): readonly SaveResult[] {
    return this.results.filter((r) => r.outcome === "unknown");
  }
}
