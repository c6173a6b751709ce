import { hmacOf } from "./hmac.ts";

/** The two ways of the protocol to sign with an account key. */
export type SharedKeyScheme = "SharedKeyLite" | "SharedKey";

/** The parts of a request that a signature covers. */
export interface SignedParts {
  readonly method: string;
  /** The path as it is sent, percent-encoded, without the query. */
  readonly path: string;
  readonly contentType: string;
  /** `x-ms-date`. */
  readonly date: string;
  /** The `comp` parameter of the query, the only one that is signed. */
  readonly comp?: string;
  /** `Content-MD5`, when the request has one. */
  readonly contentMd5?: string;
}

/** A request as it is sent, but for its authorization. */
export interface SignedRequest extends SignedParts {
  readonly headers: Readonly<Record<string, string>>;
  /** As it is sent, without a question mark. */
  readonly query: string;
  readonly body?: string | Uint8Array;
}

/** Makes the `Authorization` header of a request. */
export type Signer = (request: SignedRequest) => string;

/** Makes the `Authorization` header of requests to one account. The key stays inside the function. */
export function requestSigner(
  account: string,
  key: Buffer,
  scheme: SharedKeyScheme,
): (parts: SignedParts) => string {
  const sign = hmacOf(key);
  return (parts) => `${scheme} ${account}:${sign(sharedKeyText(account, scheme, parts))}`;
}

/** The text that a signature signs. Source: learn.microsoft.com "Authorize with Shared Key". */
export function sharedKeyText(
  account: string,
  scheme: SharedKeyScheme,
  { method, path, contentType, date, comp, contentMd5 = "" }: SignedParts,
): string {
  const resource = `/${account}${path === "" ? "/" : path}${comp === undefined ? "" : `?comp=${comp}`}`;
  return scheme === "SharedKey"
    ? `${method}\n${contentMd5}\n${contentType}\n${date}\n${resource}`
    : `${date}\n${resource}`;
}
