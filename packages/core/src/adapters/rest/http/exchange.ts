import type { StorageError } from "../../../errors/storage-error.ts";
import { answerTooLarge, cancelled, connectionError, timedOut } from "./connection-error.ts";
import type { Deadlines, Limited } from "./deadlines.ts";

/** One request to one account. */
export interface RawRequest {
  readonly method: string;
  /** Path and query as they are sent. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Whether the request may change something, so that a lost answer leaves a doubt. */
  readonly isWrite: boolean;
  /** Bytes of an answer at most. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** An answer that arrived whole. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  bytes(): Buffer;
  text(): string;
}

/** Bytes of an error's answer at most: it is a code and a sentence. */
const maxErrorBytes = 64 * 1024;

/** What an exchange is about. */
interface Sending {
  /** Where it goes, for messages. */
  readonly origin: string;
  readonly request: RawRequest;
  /** Ends it when its time is over. */
  readonly deadlines: Deadlines;
}

/** One request on its way: collects the answer, keeps its limits, and knows whether a byte has left. */
export class Exchange implements Limited {
  readonly #origin: string;
  readonly #request: RawRequest;
  readonly #resolve: (answer: RawAnswer) => void;
  readonly #reject: (error: unknown) => void;
  readonly #deadlines: Deadlines;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #status = 0;
  #headers: RawAnswer["headers"] = {};
  #abort: ((error: Error) => void) | undefined;
  #hasLeft = false;
  #isDone = false;

  constructor(
    { origin, request, deadlines }: Sending,
    resolve: (answer: RawAnswer) => void,
    reject: (error: unknown) => void,
  ) {
    this.#origin = origin;
    this.#request = request;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#deadlines = deadlines;
    deadlines.add(this);
    request.signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  expire(limitMs: number): void {
    this.#stop(timedOut(limitMs, this.#applied));
  }

  /** A connection takes the request now: from here on it may have arrived. */
  start(abort: (error: Error) => void): void {
    this.#abort = abort;
    if (this.#isDone) abort(new Error("The request was stopped before it was sent."));
    else this.#hasLeft = true;
  }

  answer(status: number, headers: RawAnswer["headers"]): void {
    this.#status = status;
    this.#headers = headers;
  }

  data(chunk: Buffer): void {
    this.#bytes += chunk.length;
    const maxBytes = this.#status < 300 ? this.#request.maxBytes : maxErrorBytes;
    if (this.#bytes > maxBytes) this.#stop(answerTooLarge(maxBytes, this.#applied));
    else this.#chunks.push(chunk);
  }

  end(): void {
    if (!this.#finish()) return;
    const chunks = this.#chunks;
    const bytes = (): Buffer => (chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    this.#resolve({
      status: this.#status,
      headers: this.#headers,
      bytes,
      text: () => bytes().toString("utf8"),
    });
  }

  fail(error: unknown): void {
    if (this.#finish())
      this.#reject(connectionError(this.#origin, error, this.#applied, this.#hasLeft, this.#status !== 0));
  }

  /** A write of which nothing was handed to a connection was certainly not made. */
  get #applied(): "no" | "maybe" {
    return this.#hasLeft && this.#request.isWrite ? "maybe" : "no";
  }

  readonly #onAbort = (): void => this.#stop(cancelled(this.#applied, this.#request.signal?.reason));

  #stop(error: StorageError): void {
    if (!this.#finish()) return;
    this.#abort?.(error);
    this.#reject(error);
  }

  #finish(): boolean {
    if (this.#isDone) return false;
    this.#isDone = true;
    this.#deadlines.delete(this);
    this.#request.signal?.removeEventListener("abort", this.#onAbort);
    return true;
  }
}
