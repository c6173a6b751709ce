import { isBase64 } from "../../../values/edm/base64.ts";

/** An account name and key. They sign requests and shared access signatures. */
export interface SharedKey {
  readonly accountName: string;
  /** The account key, in base64 as the portal shows it. */
  readonly accountKey: string;
}

/** A token from an identity provider. */
export interface AccessToken {
  readonly token: string;
  /** Milliseconds since 1970. */
  readonly expiresOnTimestamp: number;
}

/** Provides bearer tokens. Any credential of `@azure/identity` can be used. */
export interface TokenCredential {
  getToken(scopes: string | string[], options?: { abortSignal?: AbortSignal }): Promise<AccessToken | null>;
}

/** An account key, with an optional second key for use while the first is rotated. */
export interface AccountKeys extends SharedKey {
  /** Used once the service refuses `accountKey`. */
  readonly secondAccountKey?: string;
}

/** A shared access signature: `sv=…&sig=…`. */
export interface SasCredential {
  readonly sas: string;
}

/** A credential that authorizes requests to a service. */
export type Credential = AccountKeys | SasCredential | TokenCredential;

/** Whether a key is non-empty, complete base64. The service refuses signatures made with any other key. */
export const isAccountKey = (key: unknown): key is string =>
  typeof key === "string" && key !== "" && isBase64(key);
