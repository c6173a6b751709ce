import { isBase64 } from "../../../values/edm/base64.ts";

/** An account and its key: it signs requests, and shared access signatures. */
export interface SharedKey {
  readonly accountName: string;
  /** The account key, in base64 as the portal shows it. */
  readonly accountKey: string;
}

/** A token as an identity provider hands it out. */
export interface AccessToken {
  readonly token: string;
  /** Milliseconds since 1970. */
  readonly expiresOnTimestamp: number;
}

/** Who gets bearer tokens: any credential of `@azure/identity` fits. */
export interface TokenCredential {
  getToken(scopes: string | string[], options?: { abortSignal?: AbortSignal }): Promise<AccessToken | null>;
}

/** An account's key, and the other one for the time in which the first is being renewed. */
export interface AccountKeys extends SharedKey {
  /** Used from when the service refuses `accountKey`: keys are renewed one after the other. */
  readonly secondAccountKey?: string;
}

/** A shared access signature: `sv=…&sig=…`. */
export interface SasCredential {
  readonly sas: string;
}

/** How requests prove who sends them. */
export type Credential = AccountKeys | SasCredential | TokenCredential;

/** Whether a key is one: base64 of its whole length, and not empty. A signature by any other is refused by the service. */
export const isAccountKey = (key: unknown): key is string =>
  typeof key === "string" && key !== "" && isBase64(key);
