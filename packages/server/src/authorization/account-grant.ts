import type { ServerCode } from "../wire/server-codes.ts";
import { ServiceFault } from "../wire/service-fault.ts";

/** The permissions of an account's signature. */
export interface AccountGrant {
  readonly permissions: string;
  readonly resourceTypes: string;
}

/**
 * The permissions that a request needs from an account's signature: a resource type, and letters. Undefined letters
 * mean that no account signature allows it.
 */
export type AccountNeeds = readonly [type: "s" | "c" | "o", wanted: readonly string[] | undefined];

/** @throws ServiceFault if the signature does not grant these permissions */
export function requireGrant(
  { permissions, resourceTypes }: AccountGrant,
  [type, wanted]: AccountNeeds,
): void {
  if (!resourceTypes.includes(type)) throw new ServiceFault("AuthorizationResourceTypeMismatch");
  if (wanted === undefined) throw new ServiceFault("AuthorizationFailure");
  requireLetters(permissions, wanted, "AuthorizationPermissionMismatch");
}

/**
 * Checks that every element of `wanted` is granted by at least one of its letters. @throws ServiceFault with this code
 */
export function requireLetters(granted: string, wanted: readonly string[], code: ServerCode): void {
  for (const letters of wanted)
    if (!letters.split("").some((letter) => granted.includes(letter))) throw new ServiceFault(code);
}
