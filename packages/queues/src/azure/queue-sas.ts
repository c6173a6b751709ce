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

/** Options of a signature for one queue. */
export interface QueueSasOptions extends SasOptions {
  readonly queue: string;
  /**
   * Letters of `r` (peek, count), `a` (put), `u` (update) and `p` (receive, remove). To clear, create and
   * delete queues, use an account signature. By default, the policy sets them.
   */
  readonly permissions?: string | undefined;
  /** By default, the policy sets it. */
  readonly expiresAt?: Date | undefined;
  /**
   * Id of a stored access policy of the queue. Change or delete the policy to change or revoke the signature.
   */
  readonly policy?: string | undefined;
}

/**
 * Creates a shared access signature for one queue, as a query string. Pass it to `openQueues` in a connection
 * string (`QueueEndpoint=…;SharedAccessSignature=…`) or append it to the URL of an endpoint.
 *
 * @throws StorageError `queue.name`; `storage.sas` if options contradict each other
 */
export function queueSas({ accountName, accountKey }: SharedKey, options: QueueSasOptions): string {
  const { queue, permissions, policy } = options;
  checkQueueName(queue);
  if (policy === undefined && (permissions === undefined || options.expiresAt === undefined))
    throw invalidSas("a queue signature needs permissions and expiresAt, or a policy that sets them");
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

/** The text that a queue signature signs. Source: learn.microsoft.com "Create a service SAS". */
export const queueSasText = (accountName: string, queue: string, p: SasParameters): string =>
  [p["sp"], p["st"], p["se"], `/queue/${accountName}/${queue}`, p["si"], p["sip"], p["spr"], p["sv"]]
    .map((part) => part ?? "")
    .join("\n");
