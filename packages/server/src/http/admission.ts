import type { ProtocolResponse } from "../wire/protocol-request.ts";
import type { ConnectionFault } from "../wire/connection-fault.ts";

/** A request as it came over the wire, before its body. */
export interface WireHead {
  readonly method: string;
  /** Path and query as they were sent. */
  readonly url: string;
  readonly header: (name: string) => string | undefined;
  /** Every header in its order, under its name as it was sent. */
  readonly headers: () => readonly (readonly [name: string, value: string])[];
  /** The client's address. */
  readonly address: string;
}

/** A request that its sender may make. */
interface Admitted {
  /** A longer body is refused. */
  readonly maxBodyBytes: number;
  /** Whether it may read very many rows. */
  readonly isScan: boolean;
  /** Answers it, or says what to do to the connection instead; never rejects. */
  readonly response: (body: Buffer) => Promise<ProtocolResponse | ConnectionFault>;
}

/** What is done with a request: an answer at once, for which its body does not matter, or one for its body. */
export type Admission = Admitted | { readonly refusal: ProtocolResponse };

/** Decides on a request before its body has come. */
export type Admit = (head: WireHead) => Admission;

/** A request's body at most. Source: learn.microsoft.com "Performing entity group transactions". */
export const maxBodyBytes: number = 4 * 1024 * 1024;
