import type { AccountNeeds } from "../authorization/account-grant.ts";
import type { ProtocolHead } from "../wire/protocol-request.ts";
import { ServiceFault } from "../wire/service-fault.ts";
import type { BlobResource } from "./blob-resource.ts";

/** The operations of the blob service. */
export type BlobOperation =
  | "readService"
  | "writeService"
  | "createContainer"
  | "readContainer"
  | "deleteContainer"
  | "readPolicies"
  | "writePolicies"
  | "createBlob"
  | "writePages"
  | "resizeBlob"
  | "snapshotBlob"
  | "deleteBlob"
  | "readContent"
  | "readProperties"
  | "readPageRanges";

/** The permissions that an operation needs. */
interface Needs {
  readonly account: AccountNeeds;
  /** Letters of a signature for a container or a blob, each of which allows it; absent if none does. */
  readonly blob?: string;
}

/** Source: learn.microsoft.com "Create an account SAS", "Create a service SAS". */
export const needsOf: Readonly<Record<BlobOperation, Needs>> = {
  readService: { account: ["s", ["r"]] },
  writeService: { account: ["s", ["w"]] },
  createContainer: { account: ["c", ["cw"]] },
  readContainer: { account: ["c", ["r"]] },
  deleteContainer: { account: ["c", ["d"]] },
  // Only the account's key may read or write a container's policies.
  readPolicies: { account: ["c", undefined] },
  writePolicies: { account: ["c", undefined] },
  createBlob: { account: ["o", ["cw"]], blob: "cw" },
  writePages: { account: ["o", ["w"]], blob: "w" },
  resizeBlob: { account: ["o", ["w"]], blob: "w" },
  snapshotBlob: { account: ["o", ["cw"]], blob: "cw" },
  deleteBlob: { account: ["o", ["d"]], blob: "d" },
  readContent: { account: ["o", ["r"]], blob: "r" },
  readProperties: { account: ["o", ["r"]], blob: "r" },
  readPageRanges: { account: ["o", ["r"]], blob: "r" },
};

/** Whether an operation changes nothing. */
export const isReadOperation = (operation: BlobOperation): boolean => operation.startsWith("read");

/** @throws ServiceFault `InvalidQueryParameterValue`, `UnsupportedHttpVerb` */
export function operationOf({ method, resource, query }: ProtocolHead<BlobResource>): BlobOperation {
  const operations = byMethod(resource, query);
  const found = operations[method] ?? (method === "HEAD" ? operations["GET"] : undefined);
  if (found === undefined) throw new ServiceFault("UnsupportedHttpVerb");
  return found;
}

function byMethod(
  { type }: BlobResource,
  query: ReadonlyMap<string, string>,
): Readonly<Partial<Record<string, BlobOperation>>> {
  const comp = query.get("comp");
  switch (type) {
    case "service":
      if (comp === "properties") return { GET: "readService", PUT: "writeService" };
      break;
    case "container":
      if (query.get("restype") !== "container") break;
      if (comp === "acl") return { GET: "readPolicies", PUT: "writePolicies" };
      if (comp === undefined)
        return { PUT: "createContainer", GET: "readContainer", DELETE: "deleteContainer" };
      break;
    case "blob":
      return byComp(comp);
    default:
      return type satisfies never;
  }
  throw new ServiceFault("InvalidQueryParameterValue");
}

function byComp(comp: string | undefined): Readonly<Partial<Record<string, BlobOperation>>> {
  switch (comp) {
    case undefined:
      return { PUT: "createBlob", GET: "readContent", HEAD: "readProperties", DELETE: "deleteBlob" };
    case "page":
      return { PUT: "writePages" };
    case "pagelist":
      return { GET: "readPageRanges" };
    case "properties":
      return { PUT: "resizeBlob" };
    case "snapshot":
      return { PUT: "snapshotBlob" };
    default:
      throw new ServiceFault("InvalidQueryParameterValue");
  }
}
