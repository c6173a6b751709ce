import type { ProtocolHead } from "../wire/protocol-request.ts";
import { type AccountNeeds, requireGrant } from "./account-grant.ts";
import type { Credentials, ServiceSas, Signatures } from "./authorize.ts";
import { queueKeyText } from "./signed-text.ts";

/** What a request's credentials let it do. */
export interface RequestAccess<Named> {
  /** @throws ServiceFault when the operation is not among it */
  check(head: ProtocolHead<Named>): void;
}

/** What is a service's own in its signatures. */
export interface OwnSignatures<Named> {
  readonly letter: "q" | "b";
  readonly accountNeeds: (head: ProtocolHead<Named>) => AccountNeeds;
  /** The signature for one thing of the service. */
  readonly serviceSas: (account: string, credentials: Credentials) => ServiceSas<RequestAccess<Named>>;
}

/** The signatures of queues, and of blobs, which are signed as queues are. */
export const operationSignatures = <Named>({
  letter,
  accountNeeds,
  serviceSas,
}: OwnSignatures<Named>): Signatures<RequestAccess<Named>> => ({
  letter,
  fullAccess: { check: () => undefined },
  accountAccess: (grant) => ({ check: (head) => requireGrant(grant, accountNeeds(head)) }),
  keyText: queueKeyText,
  serviceSas(account, credentials) {
    const { query } = credentials;
    // What names services, or resource types, is an account's.
    return query.has("ss") || query.has("srt") ? undefined : serviceSas(account, credentials);
  },
});
