import { ServiceFault } from "../wire/service-fault.ts";

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
  checkName(container);
  const blob = rest.join("/");
  return blob === "" ? { type: "container", container } : { type: "blob", container, blob };
}

/** Source: learn.microsoft.com "Naming and referencing containers, blobs, and metadata". */
function checkName(container: string): void {
  if (container === "$root") return;
  if (!/^[a-z0-9](?:-?[a-z0-9])*$/.test(container)) throw new ServiceFault("InvalidResourceName");
  if (container.length < 3 || container.length > 63) throw new ServiceFault("OutOfRangeInput");
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw new ServiceFault("InvalidUri");
  }
}
