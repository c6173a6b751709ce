import type { ServerCode } from "../wire/server-codes.ts";
import { ServiceFault } from "../wire/service-fault.ts";

/** What an account's signature allows. */
export interface AccountGrant {
  readonly permissions: string;
  readonly resourceTypes: string;
}

/** What a request needs of an account's signature: a resource type, and permissions, none of which may allow it. */
export type AccountNeeds = readonly [type: "s" | "c" | "o", wanted: readonly string[] | undefined];

/** @throws ServiceFault when the signature does not allow what the request needs */
export function requireGrant(
  { permissions, resourceTypes }: AccountGrant,
  [type, wanted]: AccountNeeds,
): void {
  if (!resourceTypes.includes(type)) throw new ServiceFault("AuthorizationResourceTypeMismatch");
  if (wanted === undefined) throw new ServiceFault("AuthorizationFailure");
  requireLetters(permissions, wanted, "AuthorizationPermissionMismatch");
}

/** Each of `wanted` is needed; of the letters in one of them, any. @throws ServiceFault with this code */
export function requireLetters(granted: string, wanted: readonly string[], code: ServerCode): void {
  for (const letters of wanted)
    if (!letters.split("").some((letter) => granted.includes(letter))) throw new ServiceFault(code);
}
