import { queueSasText } from "@partita/queues";
import type { AccessPolicy } from "@partita/account";
import { requireLetters } from "../authorization/account-grant.ts";
import type { Signatures } from "../authorization/authorize.ts";
import { operationSignatures, type RequestAccess } from "../authorization/request-access.ts";
import { ServiceFault } from "../wire/service-fault.ts";
import { needsOf, operationOf } from "./queue-operation.ts";
import { queueInPath, type QueueResource } from "./queue-resource.ts";

/**
 * The signatures of a queue service.
 *
 * @param policiesOf - reads a queue's stored access policies
 */
export const queueSignatures = (
  policiesOf: (queue: string) => Promise<readonly AccessPolicy[]>,
): Signatures<RequestAccess<QueueResource>> =>
  operationSignatures({
    letter: "q",
    accountNeeds: (head) => needsOf[operationOf(head)].account,
    serviceSas(account, { path, query }) {
      const queue = queueInPath(path, account);
      return {
        text: queueSasText(account, queue, Object.fromEntries(query)),
        policies: () => policiesOf(queue),
        access: (permissions) => queueAccess(queue, permissions),
      };
    },
  });

const queueAccess = (queue: string, permissions: string): RequestAccess<QueueResource> => ({
  check(head) {
    const { resource } = head;
    const { queue: letter } = needsOf[operationOf(head)];
    if (resource.type === "service") throw new ServiceFault("AuthorizationResourceTypeMismatch");
    if (letter === undefined || resource.queue !== queue) throw new ServiceFault("AuthorizationFailure");
    requireLetters(permissions, [letter], "AuthorizationPermissionMismatch");
  },
});
