import { checkResourceName, decode, pathInAccount } from "../wire/parse-path.ts";
import { ServiceFault } from "../wire/service-fault.ts";

/** The resource of a URL in the queue protocol. */
export type QueueResource =
  | { readonly type: "service" }
  | { readonly type: "queue"; readonly queue: string }
  | { readonly type: "messages"; readonly queue: string }
  | { readonly type: "message"; readonly queue: string; readonly id: string };

/**
 * Parses the percent-encoded path after the account; one slash at its end is ignored.
 *
 * @throws ServiceFault `InvalidUri`, `InvalidResourceName`, `OutOfRangeInput`
 */
export function parseQueueResource(encoded: string): QueueResource {
  const [, ...parts] = encoded.replace(/\/$/, "").split("/").map(decode);
  const [queue, messages, id] = parts;
  if (queue === undefined) return { type: "service" };
  if (parts.length > 3 || (messages !== undefined && messages !== "messages") || id === "")
    throw new ServiceFault("InvalidUri");
  // Source: learn.microsoft.com "Naming Queues and Metadata".
  checkResourceName(queue);
  if (id !== undefined) return { type: "message", queue, id };
  return { type: messages === undefined ? "queue" : "messages", queue };
}

/** The queue of a path, for checking a queue's signature. */
export const queueInPath = (path: string, account: string): string =>
  decode(pathInAccount(path, account).split("/")[1] ?? "");
