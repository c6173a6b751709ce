import type { Resource } from "./parse-path.ts";

/** What a request says before its body. */
export interface ProtocolHead<Named = Resource> {
  /** What it means to do, after `X-HTTP-Method`. */
  readonly method: string;
  readonly resource: Named;
  /** Decoded parameters of the query. */
  readonly query: ReadonlyMap<string, string>;
  /** By lower-case name. */
  readonly header: (name: string) => string | undefined;
  /** Every header in its order, under its name as it was sent. */
  readonly headers: () => readonly (readonly [name: string, value: string])[];
  /** `x-ms-version`, or what it defaults to. */
  readonly version: string;
  /** The account's URL as this client sees it, without a trailing slash: for links. */
  readonly base: string;
}

/** One operation of the protocol: a request of its own, or one inside of a transaction. */
export interface ProtocolRequest<Named = Resource> extends ProtocolHead<Named> {
  readonly body: string;
  /** The body as it came, which becomes text when somebody asks for that; absent inside of a transaction. */
  readonly bytes?: Buffer;
}

/** What is answered, beside the headers that every answer has. */
export interface ProtocolResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Text, or its bytes in UTF-8. */
  readonly body?: string | Buffer;
}

export const noContent = (headers: Readonly<Record<string, string>> = {}): ProtocolResponse => ({
  status: 204,
  headers,
});
