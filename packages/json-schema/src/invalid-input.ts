import { KeyError, QueryError, SaveError, SerializationError, ValidationError } from "@partita/core";

/** Errors of keys that are stored, or of the program. */
const notOfInput = ["key.unreadable", "key.no-digest", "key.not-an-object"];
/** Values that data of a client may have although their types are right. A stored value may also be out of range. */
const refusedBySave = ["property.required", "property.too-large", "edm.out-of-range"];

/**
 * Whether data of a client caused an error, and the program could not know: a violation, a key that cannot be stored,
 * `plain.*` of `fromPlain` and `assign`, or a page token of something else. An API answers it with the status 400.
 *
 * It is false for conflicts, and for errors of the program and of storage, since a 400 would hide them: refused scans, unknown
 * properties, models.
 *
 * @example
 * ```ts
 * const status = (error: unknown): number => (isInvalidInput(error) ? 400 : 500);
 * ```
 */
export function isInvalidInput(error: unknown): boolean {
  if (SaveError.is(error)) {
    const causes = error.results.filter((result) => result.error !== undefined && result.aborted !== true);
    return (
      causes.length > 0 && causes.every(({ error: cause }) => isInvalidInput(cause) || isRefusedBySave(cause))
    );
  }
  if (ValidationError.is(error)) return true;
  if (KeyError.is(error)) return !notOfInput.includes(error.code);
  if (QueryError.is(error)) return error.code === "query.foreign-token";
  return SerializationError.is(error) && error.code.startsWith("plain.");
}

const isRefusedBySave = (error: unknown): boolean =>
  SerializationError.is(error) && refusedBySave.includes(error.code);
