import { isError } from "../../../values/errors/built-ins.ts";
import { cancelled } from "../../../values/errors/storage-error.ts";
import type { Clock } from "../../../storage/clock.ts";
import type { ServicePlace } from "../service.ts";
import { responseTooLarge, connectionError, timedOut } from "./connection-error.ts";
import { startTimer } from "./start-timer.ts";

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
  /** Milliseconds for the whole request; the client's own limit when absent. */
  readonly limitMs?: number | undefined;
  /** Takes the bytes of a success as they come, which are not kept then. What it throws ends the request. */
  readonly take?: ((chunk: Buffer) => void) | undefined;
}

/** An answer that arrived whole. */
export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Bytes of its body, those that were handed over as they came included. */
  readonly size: number;
  bytes(): Buffer;
  text(): string;
}

/** What a request is sent on, and can be taken back from. */
export interface Abortable {
  abort(error: Error): void;
}

/** Bytes of an error's answer at most: it is a code and a sentence. */
const maxErrorBytes = 64 * 1024;

interface Sending {
  /** Where it goes, for messages. */
  readonly place: ServicePlace;
  readonly request: RawRequest;
  /** Milliseconds of the clock until it is ended. */
  readonly limitMs: number;
  readonly clock: Clock;
}

/** One request on its way: collects the answer, keeps its limits, and knows whether a byte has left. */
export class Exchange {
  readonly #place: ServicePlace;
  readonly #request: RawRequest;
  readonly #resolve: (response: RawResponse) => void;
  readonly #reject: (error: unknown) => void;
  readonly #endTimer: () => void;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #status = 0;
  #headers: RawResponse["headers"] = {};
  #connection: Abortable | undefined;
  #hasLeft = false;
  #isDone = false;

  constructor(
    { place, request, limitMs, clock }: Sending,
    resolve: (response: RawResponse) => void,
    reject: (error: unknown) => void,
  ) {
    this.#place = place;
    this.#request = request;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#endTimer = startTimer(clock, limitMs, () => this.#stop(timedOut(limitMs, this.#applied)));
    const { signal } = request;
    if (signal === undefined) return;
    this.#onAbort = () => this.#stop(cancelled(signal, this.#applied));
    signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** A connection takes the request now: from here on it may have arrived. */
  start(connection: Abortable): void {
    this.#connection = connection;
    if (this.#isDone) connection.abort(new Error("The request was stopped before it was sent."));
    else this.#hasLeft = true;
  }

  response(status: number, headers: RawResponse["headers"]): void {
    this.#status = status;
    this.#headers = headers;
  }

  data(chunk: Buffer): void {
    this.#bytes += chunk.length;
    const maxBytes = this.#status < 300 ? this.#request.maxBytes : maxErrorBytes;
    if (this.#bytes > maxBytes) this.#stop(responseTooLarge(maxBytes, this.#applied));
    else if (this.#request.take === undefined || this.#status >= 300) this.#chunks.push(chunk);
    else this.#handOver(this.#request.take, chunk);
  }

  #handOver(take: (chunk: Buffer) => void, chunk: Buffer): void {
    if (this.#isDone) return;
    try {
      take(chunk);
    } catch (error) {
      this.#stop(isError(error) ? error : new Error("What takes the answer's bytes failed."));
    }
  }

  end(): void {
    if (!this.#finish()) return;
    const chunks = this.#chunks;
    const [first] = chunks;
    const bytes = (): Buffer => (first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks));
    this.#resolve({
      status: this.#status,
      headers: this.#headers,
      size: this.#bytes,
      bytes,
      text: () => bytes().toString("utf8"),
    });
  }

  fail(error: unknown): void {
    if (this.#finish())
      this.#reject(connectionError(this.#place, error, this.#applied, this.#hasLeft, this.#status !== 0));
  }

  /** A write of which nothing was handed to a connection was certainly not made. */
  get #applied(): "no" | "maybe" {
    return this.#hasLeft && this.#request.isWrite ? "maybe" : "no";
  }

  #onAbort: (() => void) | undefined;

  #stop(error: Error): void {
    if (!this.#finish()) return;
    this.#connection?.abort(error);
    this.#reject(error);
  }

  #finish(): boolean {
    if (this.#isDone) return false;
    this.#isDone = true;
    this.#endTimer();
    if (this.#onAbort !== undefined) this.#request.signal?.removeEventListener("abort", this.#onAbort);
    return true;
  }
}
