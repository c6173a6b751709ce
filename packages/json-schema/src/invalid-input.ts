import { KeyError, QueryError, SaveError, SerializationError, ValidationError } from "@partita/core";

/** Errors of stored keys, or of the program. */
const notOfInput = ["key.unreadable", "key.no-digest", "key.not-an-object"];
/**
 * Errors that a client's data can cause although its types are correct. A stored value may also be out of
 * range.
 */
const refusedBySave = ["property.required", "property.too-large", "edm.out-of-range"];

/**
 * Whether a client's data caused an error that the program could not foresee: a violation, a key that cannot
 * be stored, `plain.*` of `fromPlain` and `assign`, or a page token of another query. An API responds with
 * status 400. It is false for conflicts and for errors of the program and of storage, because a 400 would
 * hide them: refused scans, unknown properties, models.
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
