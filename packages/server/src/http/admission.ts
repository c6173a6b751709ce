import type { ProtocolResponse } from "../wire/protocol-request.ts";
import type { ConnectionFault } from "../wire/connection-fault.ts";

/** The head of a request, before its body. */
export interface WireHead {
  readonly method: string;
  /** The path and query. */
  readonly url: string;
  readonly header: (name: string) => string | undefined;
  /** All headers in order, with their original names. */
  readonly headers: () => readonly (readonly [name: string, value: string])[];
  /** The client's address. */
  readonly address: string;
}

/** A request that its sender may make. */
interface Admitted {
  /** Maximum size of the body. */
  readonly maxBodyBytes: number;
  /** Whether it may read many rows. */
  readonly isScan: boolean;
  /** Resolves with the response, or with a fault for the connection; never rejects. */
  readonly response: (body: Buffer) => Promise<ProtocolResponse | ConnectionFault>;
}

/** The decision about a request: an immediate refusal without its body, or a function that responds to its body. */
export type Admission = Admitted | { readonly refusal: ProtocolResponse };

/** Decides about a request before its body arrives. Never throws or rejects. */
export type Admit = (head: WireHead) => Admission | Promise<Admission>;

/** Maximum size of a request's body, in bytes. Source: learn.microsoft.com "Performing entity group transactions". */
export const maxBodyBytes: number = 4 * 1024 * 1024;
