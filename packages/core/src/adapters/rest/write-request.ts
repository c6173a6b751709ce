import { StorageError } from "../../errors/storage-error.ts";
import type { WriteOperation } from "../../storage/write-operation.ts";

/** The HTTP method of an operation; Cosmos takes MERGE only through a POST that names it. */
export function methodOf(
  operation: WriteOperation,
  canPatch: boolean,
): { readonly method: string; readonly tunnel?: string } {
  switch (operation.type) {
    case "insert":
      return { method: "POST" };
    case "replace":
    case "upsert-replace":
      return { method: "PUT" };
    case "merge":
    case "upsert-merge":
      return canPatch ? { method: "PATCH" } : { method: "POST", tunnel: "MERGE" };
    case "delete":
      return { method: "DELETE" };
    default:
      return operation satisfies never;
  }
}

/**
 * The If-Match of an operation: upserts have none, which is what makes them upserts.
 *
 * @throws StorageError `storage.invalid-input` for text that would end the header
 */
export function conditionOf(operation: WriteOperation): string | undefined {
  const etag = "etag" in operation ? operation.etag : undefined;
  // oxlint-disable-next-line no-control-regex
  if (etag !== undefined && /[\u0000-\u001f\u007f]|[^\u0000-\u00ff]/.test(etag))
    throw StorageError.ofService("InvalidInput", "If-Match is not an ETag");
  return etag;
}
