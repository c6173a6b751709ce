import { otherCopy } from "../../values/errors/brand.ts";
import { messageOf } from "../../values/errors/built-ins.ts";
import { StorageError } from "../../values/errors/storage-error.ts";

/**
 * Any error of a storage as a StorageError.
 *
 * @param applied - whether the request may have been applied if the error does not say so
 */
export function asStorageError(error: unknown, applied: "maybe" | "no"): StorageError {
  if (StorageError.is(error)) return error;
  const other = otherCopy(error);
  const code = other === undefined ? "storage.failed" : "package.second-copy";
  const message = other === undefined ? messageOf(error) : `The storage threw an error. ${other}`;
  return new StorageError(code, message, { applied }, { cause: error });
}
