import { StorageError } from "../../../values/errors/storage-error.ts";
import type { WriteOperation } from "../../../storage/write-operation.ts";

/** The methods that are sent as a POST with `X-HTTP-Method`: none, only MERGE (for Cosmos DB), or all. */
export type Tunnel = "none" | "merge" | "all";

/** The HTTP method of an operation, and its real method if it is tunnelled. */
export function methodOf(
  operation: WriteOperation,
  tunnel: Tunnel,
): { readonly method: string; readonly tunnel?: string } {
  switch (operation.type) {
    case "insert":
      return { method: "POST" };
    case "replace":
    case "upsert-replace":
      return tunnelled("PUT", tunnel === "all");
    case "merge":
    case "upsert-merge":
      return tunnel === "none" ? { method: "PATCH" } : tunnelled("MERGE", true);
    case "delete":
      return tunnelled("DELETE", tunnel === "all");
    default:
      return operation satisfies never;
  }
}

/** A method, or the POST that replaces it. */
export const tunnelled = (
  method: string,
  isTunnelled: boolean,
): { readonly method: string; readonly tunnel?: string } =>
  isTunnelled ? { method: "POST", tunnel: method } : { method };

/**
 * The If-Match header of an operation. Upserts have none: this is what distinguishes them.
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
