import type { Dispatcher, Pool } from "undici";
import { StorageError } from "../../../errors/storage-error.ts";
import type { Clock } from "../../../storage/clock.ts";
import { isUnreachable, unreachable } from "./unreachable.ts";

/** One request to one account. */
interface RawRequest {
  readonly method: string;
  /** Path and query as they are sent. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Whether the request may change something, so that a lost answer leaves a doubt. */
  readonly isWrite: boolean;
  /** Bytes of an answer at most. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
}

/** An answer that arrived whole. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  text(): string;
}

/** Time limits in milliseconds. */
export interface TimeLimits {
  readonly connectMs: number;
  /** From handing a request over to the end of its answer. */
  readonly readMs: number;
  readonly writeMs: number;
  /** Between two pieces of an answer that has begun. */
  readonly idleMs: number;
}

/** Bytes of an error's answer at most: it is a code and a sentence. */
const maxErrorBytes = 64 * 1024;

/** Connections of one account at once. */
const maxConnections = 64;

/** Sends requests to one origin over a pool of kept-alive connections: once each, no redirects, no pipelining. */
export interface HttpClient {
  send(request: RawRequest): Promise<RawAnswer>;
  close(): Promise<void>;
}

/** Opens a client; connections are made when they are first needed. */
export async function openHttpClient(origin: string, limits: TimeLimits, clock: Clock): Promise<HttpClient> {
  const { Pool } = await import("undici");
  const pool = new Pool(origin, {
    connections: maxConnections,
    pipelining: 1,
    // What "sent once" means is reasoned for HTTP/1.1.
    allowH2: false,
    connect: { timeout: limits.connectMs },
    keepAliveTimeout: 30_000,
    // The limits of a whole request are kept here, so that every end of time is one kind of error.
    headersTimeout: 0,
    bodyTimeout: limits.idleMs,
    maxHeaderSize: 16_384,
  });
  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        const timeoutMs = request.isWrite ? limits.writeMs : limits.readMs;
        const exchange = new Exchange({ origin, request }, resolve, reject);
        exchange.limit(timeoutMs, clock);
        start(pool, request, exchange);
      }),
    close: () => pool.close(),
  };
}

function start(pool: Pool, request: RawRequest, exchange: Exchange): void {
  const { method, path, headers, body } = request;
  try {
    pool.dispatch({ method: method as Dispatcher.HttpMethod, path, headers, body: body ?? null }, exchange);
  } catch (error) {
    exchange.onResponseError(undefined, error);
  }
}

/** What an exchange is about. */
interface Sending {
  readonly origin: string;
  readonly request: RawRequest;
}

/** One request on its way: collects the answer, keeps its limits, and knows whether a byte has left. */
class Exchange implements Dispatcher.DispatchHandler {
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
  #controller: Dispatcher.DispatchController | undefined;
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

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isDone) controller.abort(new Error("The request was stopped before it was sent."));
    else this.#hasLeft = true;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: RawAnswer["headers"],
  ): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    const maxBytes = this.#status < 300 ? this.#request.maxBytes : maxErrorBytes;
    if (this.#bytes > maxBytes) this.#stop(answerTooLarge(maxBytes, this.#applied));
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    if (!this.#finish()) return;
    const chunks = this.#chunks;
    this.#resolve({
      status: this.#status,
      headers: this.#headers,
      text: () => (chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)).toString("utf8"),
    });
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: unknown): void {
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
    this.#controller?.abort(error);
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

function connectionError(
  origin: string,
  error: unknown,
  applied: "no" | "maybe",
  hasLeft: boolean,
  hasAnswer: boolean,
): StorageError {
  const code = codeOf(error);
  if (code === "UND_ERR_BODY_TIMEOUT")
    return new StorageError("storage.timeout", "The answer stopped in the middle.", { applied });
  // The same codes also end connections that a request has already gone over.
  if (!hasLeft && isUnreachable(code)) return unreachable(origin, code, error);
  // The parser's error quotes the answer, so it is not passed on as the cause.
  if (error instanceof Error && error.name === "HTTPParserError")
    return new StorageError(
      "storage.malformed-answer",
      "The server's answer is not HTTP. Check that the endpoint is a table service.",
      { applied },
    );
  const what = hasAnswer
    ? "The answer broke off before its end"
    : "The connection broke before an answer came";
  const name = hasAnswer ? "storage.truncated" : "storage.connection-lost";
  return new StorageError(name, `${what} (${code ?? "connection reset"}).`, { applied }, { cause: error });
}

function codeOf(error: unknown): string | undefined {
  const failure = error as { code?: unknown; cause?: unknown; errors?: readonly unknown[] } | null;
  // Happy eyeballs: the errors of several addresses come as one.
  const first = failure?.errors?.[0];
  if (first !== undefined) return codeOf(first);
  return typeof failure?.code === "string" ? failure.code : undefined;
}

const timedOut = (timeoutMs: number, applied: "no" | "maybe"): StorageError =>
  new StorageError("storage.timeout", `No whole answer came within ${timeoutMs} ms.`, { applied });

const answerTooLarge = (maxBytes: number, applied: "no" | "maybe"): StorageError =>
  new StorageError(
    "storage.answer-too-large",
    `The answer is longer than ${maxBytes} bytes, which no answer of the service is.`,
    { applied },
  );

const cancelled = (applied: "no" | "maybe", cause: unknown): StorageError =>
  new StorageError(
    "storage.cancelled",
    applied === "no"
      ? "The request was cancelled before anything was written."
      : "The request was cancelled after it was sent.",
    { applied },
    { cause },
  );
