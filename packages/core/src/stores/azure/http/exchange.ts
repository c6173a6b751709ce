import { isError } from "../../../values/errors/built-ins.ts";
import { cancelled } from "../../../values/errors/storage-error.ts";
import type { Clock } from "../../../storage/clock.ts";
import type { ServicePlace } from "../service.ts";
import { responseTooLarge, connectionError, timedOut } from "./connection-error.ts";
import { startTimer } from "./start-timer.ts";

/** One request to one account. */
export interface RawRequest {
  readonly method: string;
  /** The path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Whether the request may change data. If its response is lost, the outcome is unknown. */
  readonly isWrite: boolean;
  /** Maximum size of the response body, in bytes. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** Time limit for the whole request, in milliseconds; by default the client's. */
  readonly limitMs?: number | undefined;
  /**
   * Receives the body of a successful response in chunks, instead of collecting it. If it throws, the request fails.
   */
  readonly take?: ((chunk: Buffer) => void) | undefined;
}

/** A complete response. */
export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Size of the body in bytes, including chunks passed to `take`. */
  readonly size: number;
  bytes(): Buffer;
  text(): string;
}

/** A connection that can abort a request. */
export interface Abortable {
  abort(error: Error): void;
}

/** Maximum size of an error response, in bytes. Errors are short: a code and a sentence. */
const maxErrorBytes = 64 * 1024;

interface Sending {
  /** The destination, for messages. */
  readonly place: ServicePlace;
  readonly request: RawRequest;
  /** Time limit in milliseconds of the clock. */
  readonly limitMs: number;
  readonly clock: Clock;
}

/** One request in progress. It collects the response, enforces limits, and knows whether any byte was sent. */
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

  /** The request is handed to a connection: from now on, it may have arrived. */
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
      this.#stop(isError(error) ? error : new Error("The receiver of the response body threw an error."));
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

  /** If nothing was handed to a connection, a write was certainly not applied. */
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
