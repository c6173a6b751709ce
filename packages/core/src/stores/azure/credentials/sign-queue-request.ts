import { hmacOf } from "./hmac.ts";
import type { Signer } from "./sign-request.ts";

/** The parts of a request to queues that a signature covers. */
export interface SignedQueueParts {
  readonly method: string;
  /** The path as it is sent, percent-encoded, without the query. */
  readonly path: string;
  /** Every parameter of the query, decoded. */
  readonly query: Iterable<readonly [name: string, value: string]>;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Bytes of the body: 0 where there is none. */
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

/** Standard headers that are signed, after the method and around the length, each on a line. */
const beforeLength = ["content-encoding", "content-language"];
const afterLength = ["content-md5", "content-type"];
const conditions = ["if-modified-since", "if-match", "if-none-match", "if-unmodified-since", "range"];

/**
 * The text that a signature of a request to queues signs: as for blobs, with every `x-ms-` header and every parameter.
 * Source: learn.microsoft.com "Authorize with Shared Key", for versions from 2015-02-21 on.
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
    // Where both are there, x-ms-date counts.
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

/** A parameter that is there several times has its values in order, with commas. */
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
