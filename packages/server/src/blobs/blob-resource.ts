import { checkResourceName, decode } from "../wire/parse-path.ts";

/** The resource of a URL in the blob protocol. */
export type BlobResource =
  | { readonly type: "service" }
  | { readonly type: "container"; readonly container: string }
  | { readonly type: "blob"; readonly container: string; readonly blob: string };

/**
 * Parses the percent-encoded path after the account.
 *
 * @throws ServiceFault `InvalidUri`, `InvalidResourceName`, `OutOfRangeInput`
 */
export function parseBlobResource(encoded: string): BlobResource {
  const [, container = "", ...rest] = decode(encoded).split("/");
  if (container === "") return { type: "service" };
  // Source: learn.microsoft.com "Naming and referencing containers, blobs, and metadata".
  if (container !== "$root") checkResourceName(container);
  const blob = rest.join("/");
  return blob === "" ? { type: "container", container } : { type: "blob", container, blob };
}
