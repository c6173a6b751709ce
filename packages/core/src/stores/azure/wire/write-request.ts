import { StorageError } from "../../../values/errors/storage-error.ts";
import type { WriteOperation } from "../../../storage/write-operation.ts";

/** Which methods go as a POST that names them in `X-HTTP-Method`: none, MERGE only as Cosmos wants it, or all. */
export type Tunnel = "none" | "merge" | "all";

/** The HTTP method of an operation, and the one it stands for when it is tunnelled. */
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

/** A method, or the POST that stands for it. */
export const tunnelled = (
  method: string,
  isTunnelled: boolean,
): { readonly method: string; readonly tunnel?: string } =>
  isTunnelled ? { method: "POST", tunnel: method } : { method };

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
