import type { AccessPolicy } from "@partita/account";
import type { SasParameters } from "@partita/account/protocol";
import { requireLetters } from "../authorization/account-grant.ts";
import type { Signatures } from "../authorization/authorize.ts";
import { operationSignatures, type RequestAccess } from "../authorization/request-access.ts";
import { pathInAccount } from "../wire/parse-path.ts";
import { ServiceFault } from "../wire/service-fault.ts";
import { needsOf, operationOf } from "./blob-operation.ts";
import { type BlobResource, parseBlobResource } from "./blob-resource.ts";

/**
 * The signatures of a blob service.
 *
 * @param policiesOf - reads a container's stored access policies
 */
export const blobSignatures = (
  policiesOf: (container: string) => Promise<readonly AccessPolicy[]>,
): Signatures<RequestAccess<BlobResource>> =>
  operationSignatures({
    letter: "b",
    accountNeeds: (head) => needsOf[operationOf(head)].account,
    serviceSas(account, { path, query }) {
      const signed = signedResource(path, account, query.get("sr"));
      return {
        text: blobSasText(account, signed, Object.fromEntries(query)),
        policies: () => policiesOf(signed.container),
        access: (permissions) => blobAccess(signed, permissions),
      };
    },
  });

/** The resource of a signature: a container, or one blob in it. */
interface SignedResource {
  readonly container: string;
  readonly blob: string | undefined;
}

/** @throws ServiceFault `AuthenticationFailed` for a signature of another resource */
function signedResource(path: string, account: string, type: string | undefined): SignedResource {
  const resource = parseBlobResource(pathInAccount(path, account));
  const fits = type === "c" || (type === "b" && resource.type === "blob");
  if (resource.type === "service" || !fits) throw new ServiceFault("AuthenticationFailed");
  const { container } = resource;
  return { container, blob: type === "b" && resource.type === "blob" ? resource.blob : undefined };
}

const blobAccess = (
  { container, blob }: SignedResource,
  permissions: string,
): RequestAccess<BlobResource> => ({
  check(head) {
    const { resource } = head;
    const { blob: letters } = needsOf[operationOf(head)];
    if (resource.type === "service") throw new ServiceFault("AuthorizationResourceTypeMismatch");
    const isOther =
      resource.container !== container ||
      (resource.type === "blob" && (blob ?? resource.blob) !== resource.blob);
    if (letters === undefined || isOther) throw new ServiceFault("AuthorizationFailure");
    requireLetters(permissions, [letters], "AuthorizationPermissionMismatch");
  },
});

/** The first versions that sign the resource type and the encryption scope. */
const [resourceVersion, scopeVersion] = ["2018-11-09", "2020-12-06"];

/** The text of a signature for a container or a blob. Source: learn.microsoft.com "Create a service SAS". */
function blobSasText(account: string, { container, blob }: SignedResource, p: SasParameters): string {
  const resource = `/blob/${account}/${container}${blob === undefined ? "" : `/${blob}`}`;
  const version = p["sv"] ?? "";
  const parts = [p["sp"], p["st"], p["se"], resource, p["si"], p["sip"], p["spr"], version];
  // The time of a snapshot is signed only for signatures of one snapshot, which the server does not support.
  if (version >= resourceVersion) parts.push(p["sr"], "");
  if (version >= scopeVersion) parts.push(p["ses"]);
  parts.push(p["rscc"], p["rscd"], p["rsce"], p["rscl"], p["rsct"]);
  return parts.map((part) => part ?? "").join("\n");
}
