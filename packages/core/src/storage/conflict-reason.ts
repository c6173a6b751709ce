import type { ConflictReason } from "../values/errors/conflict-error.ts";
import { UniqueValueTaken } from "../values/errors/unique-value-taken.ts";
import { StorageError } from "../values/errors/storage-error.ts";

/** Source: learn.microsoft.com "Table Storage error codes". */
const reasons: Readonly<Record<string, ConflictReason>> = {
  EntityAlreadyExists: "exists",
  ResourceNotFound: "missing",
  EntityNotFound: "missing",
  UpdateConditionNotSatisfied: "etag",
  ConditionNotMet: "etag",
};

/**
 * Whether the row has changed or no longer exists. It checks the status, since a proxy may remove the code. For callers
 * that read the row again before they conclude anything.
 */
export const isOvertaken = (error: unknown): boolean =>
  StorageError.is(error) && error.applied === "no" && (error.status === 404 || error.status === 412);

/**
 * The conflict that a refusal reports: the key is taken, the row no longer exists, its ETag has changed, or a value
 * is not unique.
 */
export function conflictReason(error: unknown): ConflictReason | undefined {
  if (UniqueValueTaken.is(error)) return error.reason;
  const code = StorageError.is(error) && error.applied === "no" ? error.serviceCode : undefined;
  return code === undefined ? undefined : reasons[code];
}
