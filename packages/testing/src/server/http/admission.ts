import type { ProtocolAnswer } from "../wire/protocol-request.ts";
import type { ServiceFault } from "../wire/service-fault.ts";
import type { ConnectionFault } from "./connection-fault.ts";

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
  readonly answer: (body: Buffer) => Promise<ProtocolAnswer | ConnectionFault>;
}

/** What is done with a request: an answer at once, for which its body does not matter, or one for its body. */
export type Admission = Admitted | { readonly refusal: ProtocolAnswer };

/** Decides on a request before its body has come. */
export type Admit = (head: WireHead) => Admission;

/** A request's body at most. Source: learn.microsoft.com "Performing entity group transactions". */
export const maxBodyBytes: number = 4 * 1024 * 1024;

/** What of a request decides how it is refused. */
type RefusedRequest = Pick<WireHead, "header"> & { readonly query: ReadonlyMap<string, string> };

/** How a service answers, whatever it is asked. */
export interface AnswerForms {
  /** Its `Server` header. */
  readonly product: string;
  /** The version of requests that name none, from before versions were named. */
  readonly initialVersion: string;
  /** A refusal in the form of the service. */
  readonly refuse: (fault: ServiceFault, request: RefusedRequest) => ProtocolAnswer;
  /** How a successful answer begins. */
  readonly beginning: (method: string, url: string) => ResponseBeginning;
}

/** How a response begins. */
export interface ResponseBeginning {
  readonly status: number;
  /** Its `Content-Type`. */
  readonly type: string;
  /** The first characters of its body. */
  readonly text: string;
}
