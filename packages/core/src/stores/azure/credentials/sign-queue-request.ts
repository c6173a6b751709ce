import { hmacOf } from "./hmac.ts";
import type { Signer } from "./sign-request.ts";

/** The parts of a queue request that are signed. */
export interface SignedQueueParts {
  readonly method: string;
  /** The percent-encoded path, without the query. */
  readonly path: string;
  /** All query parameters, decoded. */
  readonly query: Iterable<readonly [name: string, value: string]>;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Length of the body in bytes; 0 if there is none. */
  readonly contentLength: number;
}

/** Makes the `Authorization` header of requests to one account's queues. The key stays inside the function. */
export function queueRequestSigner(account: string, key: Buffer): Signer {
  const sign = hmacOf(key);
  return ({ method, path, query, headers, body }) => {
    const text = queueSharedKeyText(account, {
      method,
      path,
      query: new URLSearchParams(query),
      headers,
      contentLength: body === undefined ? 0 : Buffer.byteLength(body),
    });
    return `SharedKey ${account}:${sign(text)}`;
  };
}

/** The signed standard headers before and after the length, one per line. */
const beforeLength = ["content-encoding", "content-language"];
const afterLength = ["content-md5", "content-type"];
const conditions = ["if-modified-since", "if-match", "if-none-match", "if-unmodified-since", "range"];

/**
 * The text that is signed for a queue request: the same as for blobs, with every `x-ms-` header and every parameter.
 * Source: learn.microsoft.com "Authorize with Shared Key", for versions since 2015-02-21.
 */
export function queueSharedKeyText(
  account: string,
  { method, path, query, headers, contentLength }: SignedQueueParts,
): string {
  const valueOf = (name: string): string => headers[name] ?? "";
  return [
    method,
    ...beforeLength.map(valueOf),
    contentLength === 0 ? "" : String(contentLength),
    ...afterLength.map(valueOf),
    // If both are present, x-ms-date takes precedence.
    headers["x-ms-date"] === undefined ? valueOf("date") : "",
    ...conditions.map(valueOf),
    ...serviceHeaders(headers),
    `/${account}${path === "" ? "/" : path}`,
    ...parameters(query),
  ].join("\n");
}

const serviceHeaders = (headers: SignedQueueParts["headers"]): string[] =>
  Object.keys(headers)
    .filter((name) => name.startsWith("x-ms-") && headers[name] !== undefined)
    .toSorted()
    .map((name) => `${name}:${(headers[name] ?? "").trim()}`);

/** The values of a repeated parameter are sorted and joined with commas. */
function parameters(query: SignedQueueParts["query"]): string[] {
  const values = new Map<string, string[]>();
  for (const [name, value] of query) {
    const id = name.toLowerCase();
    values.set(id, [...(values.get(id) ?? []), value]);
  }
  return [...values.keys()]
    .toSorted()
    .map((name) => `${name}:${(values.get(name) ?? []).toSorted().join(",")}`);
}
