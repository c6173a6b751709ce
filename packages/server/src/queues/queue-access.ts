import { queueSasText } from "@partita/queues";
import type { AccessPolicy } from "@partita/core/rest";
import { type AccountGrant, requireGrant, requireLetters } from "../authorization/account-grant.ts";
import type { Signatures } from "../authorization/authorize.ts";
import type { ProtocolHead } from "../wire/protocol-request.ts";
import { ServiceFault } from "../wire/service-fault.ts";
import { needsOf, operationOf } from "./queue-operation.ts";
import { queueInPath, type QueueResource } from "./queue-resource.ts";
import { queueKeyText } from "../authorization/signed-text.ts";

/** What a request's credentials let it do. */
export interface QueueAccess {
  /** @throws ServiceFault when the operation is not among it */
  check(head: ProtocolHead<QueueResource>): void;
}

/**
 * The signatures of a queue service.
 *
 * @param policiesOf - a queue's stored access policies
 */
export const queueSignatures = (
  policiesOf: (queue: string) => readonly AccessPolicy[],
): Signatures<QueueAccess> => ({
  letter: "q",
  fullAccess: { check: () => undefined },
  accountAccess,
  keyText: queueKeyText,
  serviceSas(account, { path, query }) {
    // What names services, or resource types, is an account's.
    if (query.has("ss") || query.has("srt")) return undefined;
    const queue = queueInPath(path, account);
    return {
      text: queueSasText(account, queue, Object.fromEntries(query)),
      policies: policiesOf(queue),
      access: (permissions) => queueAccess(queue, permissions),
    };
  },
});

const accountAccess = (grant: AccountGrant): QueueAccess => ({
  check: (head) => requireGrant(grant, needsOf[operationOf(head)].account),
});

const queueAccess = (queue: string, permissions: string): QueueAccess => ({
  check(head) {
    const { resource } = head;
    const { queue: letter } = needsOf[operationOf(head)];
    if (resource.type === "service") throw new ServiceFault("AuthorizationResourceTypeMismatch");
    if (letter === undefined || resource.queue !== queue) throw new ServiceFault("AuthorizationFailure");
    requireLetters(permissions, [letter], "AuthorizationPermissionMismatch");
  },
});
