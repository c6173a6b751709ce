import { hmacOf } from "./hmac.ts";

/** The two signing schemes for an account key. */
export type SharedKeyScheme = "SharedKeyLite" | "SharedKey";

/** The parts of a request that are signed. */
export interface SignedParts {
  readonly method: string;
  /** The percent-encoded path, without the query. */
  readonly path: string;
  readonly contentType: string;
  /** `x-ms-date`. */
  readonly date: string;
  /** The `comp` parameter of the query, the only signed parameter. */
  readonly comp?: string;
  /** `Content-MD5`, if the request has it. */
  readonly contentMd5?: string;
}

/** A complete request except its authorization. */
export interface SignedRequest extends SignedParts {
  readonly headers: Readonly<Record<string, string>>;
  /** Without the question mark. */
  readonly query: string;
  readonly body?: string | Uint8Array;
}

/** Creates the `Authorization` header of a request. */
export type Signer = (request: SignedRequest) => string;

/** Creates a signer for requests to one account. The key stays inside the function. */
export function requestSigner(
  account: string,
  key: Buffer,
  scheme: SharedKeyScheme,
): (parts: SignedParts) => string {
  const sign = hmacOf(key);
  return (parts) => `${scheme} ${account}:${sign(sharedKeyText(account, scheme, parts))}`;
}

/** The text that is signed. Source: learn.microsoft.com "Authorize with Shared Key". */
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
