import type { ProtocolHead } from "../wire/protocol-request.ts";
import { type AccountNeeds, requireGrant } from "./account-grant.ts";
import type { Credentials, ServiceSas, Signatures } from "./authorize.ts";
import { queueKeyText } from "./signed-text.ts";

/** The access that a request's credentials grant. */
export interface RequestAccess<Named> {
  /** @throws ServiceFault if the operation is not allowed */
  check(head: ProtocolHead<Named>): void;
}

/** The parts of signatures that differ between services. */
export interface OwnSignatures<Named> {
  readonly letter: "q" | "b";
  readonly accountNeeds: (head: ProtocolHead<Named>) => AccountNeeds;
  /** Reads a signature for one resource of the service. */
  readonly serviceSas: (account: string, credentials: Credentials) => ServiceSas<RequestAccess<Named>>;
}

/** The signatures of queues and blobs, which use the same scheme. */
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
    // A signature with services or resource types belongs to an account.
    return query.has("ss") || query.has("srt") ? undefined : serviceSas(account, credentials);
  },
});
