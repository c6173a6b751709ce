import { ConflictError } from "../../values/errors/conflict-error.ts";
import { SaveError } from "../save/save-error.ts";

/**
 * Whether each change was certainly refused because of another writer, so the same work can be repeated. After an
 * unknown outcome, it could be applied twice.
 */
export const isCertainConflict = (error: unknown): error is SaveError =>
  SaveError.is(error) &&
  error.results.some(({ error: cause }) => ConflictError.is(cause)) &&
  error.results.every(
    ({ outcome, aborted, error: cause }) =>
      outcome === "rejected" && (aborted === true || ConflictError.is(cause)),
  );

/** Waits a random part of a growing delay, since writers with the same delay would conflict again. */
export const pauseBefore = (attempt: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(500, 5 * 2 ** attempt)));
