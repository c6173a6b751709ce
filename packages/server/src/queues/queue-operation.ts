import type { AccountNeeds } from "../authorization/account-grant.ts";
import type { ProtocolHead } from "../wire/protocol-request.ts";
import { ServiceFault } from "../wire/service-fault.ts";
import type { QueueResource } from "./queue-resource.ts";

/** The operations of the queue service. */
export type QueueOperation =
  | "readService"
  | "writeService"
  | "listQueues"
  | "createQueue"
  | "deleteQueue"
  | "readMetadata"
  | "writeMetadata"
  | "readPolicies"
  | "writePolicies"
  | "put"
  | "receive"
  | "peek"
  | "clear"
  | "update"
  | "remove";

/** The permissions that an operation needs. */
interface Needs {
  readonly account: AccountNeeds;
  /** The letter in a queue's own signature; absent if none allows it. */
  readonly queue?: string;
}

/** Source: learn.microsoft.com "Create an account SAS", "Create a service SAS". */
export const needsOf: Readonly<Record<QueueOperation, Needs>> = {
  readService: { account: ["s", ["r"]] },
  writeService: { account: ["s", ["w"]] },
  listQueues: { account: ["s", ["l"]] },
  createQueue: { account: ["c", ["cw"]] },
  deleteQueue: { account: ["c", ["d"]] },
  readMetadata: { account: ["c", ["r"]], queue: "r" },
  writeMetadata: { account: ["c", ["w"]] },
  // Only the account's key may read or write a queue's policies.
  readPolicies: { account: ["c", undefined] },
  writePolicies: { account: ["c", undefined] },
  put: { account: ["o", ["a"]], queue: "a" },
  receive: { account: ["o", ["p"]], queue: "p" },
  peek: { account: ["o", ["r"]], queue: "r" },
  clear: { account: ["o", ["d"]] },
  update: { account: ["o", ["u"]], queue: "u" },
  remove: { account: ["o", ["p"]], queue: "p" },
};

/** Whether an operation changes nothing. A receive hides messages from others, so it is not a read. */
export const isReadOperation = (operation: QueueOperation): boolean => /^(?:read|list|peek)/.test(operation);

/** @throws ServiceFault `InvalidQueryParameterValue`, `UnsupportedHttpVerb` */
export function operationOf({ method, resource, query }: ProtocolHead<QueueResource>): QueueOperation {
  const isRead = method === "GET" || method === "HEAD";
  const operations = byMethod(resource, query, isRead);
  const found = operations[isRead ? "read" : method];
  if (found === undefined) throw new ServiceFault("UnsupportedHttpVerb");
  return found;
}

function byMethod(
  { type }: QueueResource,
  query: ReadonlyMap<string, string>,
  isRead: boolean,
): Readonly<Partial<Record<string, QueueOperation>>> {
  const comp = query.get("comp");
  switch (type) {
    case "service":
      if (comp === "list" && !query.has("restype")) return { read: "listQueues" };
      if (comp === "properties") return { read: "readService", PUT: "writeService" };
      if (comp === "stats") return { read: "readService" };
      throw new ServiceFault("InvalidQueryParameterValue");
    case "queue":
      if (comp === "metadata") return { read: "readMetadata", PUT: "writeMetadata" };
      if (comp === "acl") return { read: "readPolicies", PUT: "writePolicies" };
      if (comp !== undefined) throw new ServiceFault("InvalidQueryParameterValue");
      return { PUT: "createQueue", DELETE: "deleteQueue" };
    case "messages":
      return { read: isRead && isPeek(query) ? "peek" : "receive", POST: "put", DELETE: "clear" };
    case "message":
      return { PUT: "update", DELETE: "remove" };
    default:
      return type satisfies never;
  }
}

function isPeek(query: ReadonlyMap<string, string>): boolean {
  const only = (query.get("peekonly") ?? "false").toLowerCase();
  if (only !== "true" && only !== "false") throw new ServiceFault("InvalidQueryParameterValue");
  return only === "true";
}
