import { checkResourceName, decode } from "../wire/parse-path.ts";

/** What a URL of the blob protocol names. */
export type BlobResource =
  | { readonly type: "service" }
  | { readonly type: "container"; readonly container: string }
  | { readonly type: "blob"; readonly container: string; readonly blob: string };

/**
 * Reads the path after the account, percent-encoded as it was sent.
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
