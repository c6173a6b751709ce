import { checkQueueName } from "../port/check-queues.ts";
import {
  checkLetters,
  inOrder,
  invalidSas,
  limitsOfSas,
  sasVersion,
  signSas,
} from "@partita/account/protocol";
import type { SharedKey } from "@partita/core/rest";
import type { SasOptions } from "@partita/account";
import type { SasParameters } from "@partita/account/protocol";

/** What a signature for one queue allows. */
export interface QueueSasOptions extends SasOptions {
  readonly queue: string;
  /**
   * Of `r` (peek, count), `a` (put), `u` (update) and `p` (receive, remove). Clearing, making and deleting queues is an
   * account's. Absent: the policy says it.
   */
  readonly permissions?: string | undefined;
  /** Absent: the policy says it. */
  readonly expiresAt?: Date | undefined;
  /** Id of a stored access policy of the queue, which may then be changed or revoked. */
  readonly policy?: string | undefined;
}

/**
 * A shared access signature for one queue, as a query string: for `openQueues` in a connection string
 * (`QueueEndpoint=…;SharedAccessSignature=…`) or at the end of an endpoint's URL.
 *
 * @throws StorageError `queue.name`; `storage.sas` for options that contradict each other
 */
export function queueSas({ accountName, accountKey }: SharedKey, options: QueueSasOptions): string {
  const { queue, permissions, policy } = options;
  checkQueueName(queue);
  if (policy === undefined && (permissions === undefined || options.expiresAt === undefined))
    throw invalidSas("a queue's signature needs permissions and expiresAt, or a policy that has them");
  checkLetters(permissions, "raup");
  const sign = (account: string, parameters: SasParameters): string =>
    queueSasText(account, queue, parameters);
  return signSas(accountKey, sign, accountName, {
    sv: options.version ?? sasVersion,
    sp: permissions && inOrder(permissions, "raup"),
    ...limitsOfSas(options, options.expiresAt),
    si: policy,
  });
}

/** The text that a queue's signature signs. Source: learn.microsoft.com "Create a service SAS". */
export const queueSasText = (accountName: string, queue: string, p: SasParameters): string =>
  [p["sp"], p["st"], p["se"], `/queue/${accountName}/${queue}`, p["si"], p["sip"], p["spr"], p["sv"]]
    .map((part) => part ?? "")
    .join("\n");
