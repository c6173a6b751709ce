import type { Resource } from "./parse-path.ts";

/** The head of a request, before its body. */
export interface ProtocolHead<Named = Resource> {
  /** The effective method, according to `X-HTTP-Method`. */
  readonly method: string;
  readonly resource: Named;
  /** Decoded parameters of the query. */
  readonly query: ReadonlyMap<string, string>;
  /** By lower-case name. */
  readonly header: (name: string) => string | undefined;
  /** All headers in order, with their original names. */
  readonly headers: () => readonly (readonly [name: string, value: string])[];
  /** `x-ms-version`, or its default. */
  readonly version: string;
  /** The account's URL from the client's view, without a trailing slash; for links. */
  readonly base: string;
}

/** One operation of the protocol: a separate request, or a part of a transaction. */
export interface ProtocolRequest<Named = Resource> extends ProtocolHead<Named> {
  readonly body: string;
  /** The body as bytes, which are decoded on demand; absent in a transaction. */
  readonly bytes?: Buffer;
}

/** A response, in addition to the headers that every response has. */
export interface ProtocolResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Text, or its UTF-8 bytes. */
  readonly body?: string | Buffer;
}

export const noContent = (headers: Readonly<Record<string, string>> = {}): ProtocolResponse => ({
  status: 204,
  headers,
});
