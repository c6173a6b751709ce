import type { StorageError } from "../../../errors/storage-error.ts";
import type { Clock } from "../../../storage/clock.ts";
import { answerTooLarge, cancelled, connectionError, timedOut } from "./connection-error.ts";

/** One request to one account. */
export interface RawRequest {
  readonly method: string;
  /** Path and query as they are sent. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
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
  text(): string;
}

/** Bytes of an error's answer at most: it is a code and a sentence. */
const maxErrorBytes = 64 * 1024;

/** What an exchange is about. */
interface Sending {
  /** Where it goes, for messages. */
  readonly origin: string;
  readonly request: RawRequest;
}

/** One request on its way: collects the answer, keeps its limits, and knows whether a byte has left. */
export class Exchange {
  readonly #origin: string;
  readonly #request: RawRequest;
  readonly #resolve: (answer: RawAnswer) => void;
  readonly #reject: (error: unknown) => void;
  /** Aborted when the request is over: nobody waits for its time limit any more. */
  readonly #over = new AbortController();
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #status = 0;
  #headers: RawAnswer["headers"] = {};
  #abort: ((error: Error) => void) | undefined;
  #hasLeft = false;
  #isDone = false;

  constructor(
    { origin, request }: Sending,
    resolve: (answer: RawAnswer) => void,
    reject: (error: unknown) => void,
  ) {
    this.#origin = origin;
    this.#request = request;
    this.#resolve = resolve;
    this.#reject = reject;
    request.signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** Ends the request when its time is over. */
  limit(timeoutMs: number, clock: Clock): void {
    void clock.wait(timeoutMs, this.#over.signal).then(() => this.#stop(timedOut(timeoutMs, this.#applied)));
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
    this.#resolve({
      status: this.#status,
      headers: this.#headers,
      text: () => (chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)).toString("utf8"),
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
    this.#over.abort();
    this.#request.signal?.removeEventListener("abort", this.#onAbort);
    return true;
  }
}
