import { brand } from "../../values/errors/brand.ts";
import { ConflictError } from "../../values/errors/conflict-error.ts";
import { TableError } from "../../values/errors/table-error.ts";
import { ValidationError } from "../../values/errors/validation-error.ts";
import type { SaveResult } from "../unit-of-work/save-result.ts";

/** A constraint that an entity of a save violates. */
export interface EntityViolation {
  readonly entity: object;
  /** Class, table and key, for messages. */
  readonly subject: string;
  /** The property, or a path into it. */
  readonly property: string;
  /** The problem, without the value. */
  readonly message: string;
}

/**
 * A save was refused before sending (`save.invalid`, `save.not-atomic`), partly applied (`save.failed`), completely
 * applied but followed by the failure of a hook (`save.hook-failed`), or stopped partway through a query
 * (`save.stopped`). `results` has one entry per change; committed changes stay committed.
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
    // Results hold entities: they are left out of the default print to keep property values out of logs.
    Object.defineProperty(this, "results", { enumerable: false });
  }

  /** The changes that are definitely not stored. */
  get rejected(): readonly SaveResult[] {
    return this.results.filter((r) => r.outcome === "rejected");
  }

  /** The changes that are definitely stored. */
  get committed(): readonly SaveResult[] {
    return this.results.filter((r) => r.outcome === "committed");
  }

  /** The changes that were refused because of a conflict with another writer; `error` is a ConflictError. */
  get conflicts(): readonly (SaveResult & { readonly error: ConflictError })[] {
    return this.results.filter((r): r is SaveResult & { readonly error: ConflictError } =>
      ConflictError.is(r.error),
    );
  }

  /** All constraint violations of this save's entities. */
  get violations(): readonly EntityViolation[] {
    return this.results.flatMap(({ entity, subject, error }) =>
      ValidationError.is(error)
        ? error.violations.map((violation) => ({ entity, subject, ...violation }))
        : [],
    );
  }

  /** The changes that may or may not be stored. */
  get unknown(): readonly SaveResult[] {
    return this.results.filter((r) => r.outcome === "unknown");
  }
}
