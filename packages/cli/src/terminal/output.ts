import { once } from "node:events";

/** The stream of results: standard output, or a stream of a test. */
export interface ResultStream extends NodeJS.EventEmitter {
  readonly isTTY?: boolean;
  write(chunk: Uint8Array | string, done?: () => void): boolean;
}

/**
 * Writes results, waits if the reader is slow, and notices if the reader closes its end, as `| head` does.
 */
export class Output {
  readonly #stream: ResultStream;
  readonly #closed = new AbortController();
  #failure: Error | undefined;

  constructor(stream: ResultStream = process.stdout) {
    this.#stream = stream;
    stream.on("error", this.#fail);
  }

  readonly #fail = (error: NodeJS.ErrnoException): void => {
    if (error.code !== "EPIPE") this.#failure = error;
    this.#closed.abort(error);
  };

  get isTerminal(): boolean {
    return this.#stream.isTTY === true;
  }

  /** Aborted if the reader has closed its end, or writing fails. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  async write(chunk: Uint8Array | string): Promise<void> {
    this.#closed.signal.throwIfAborted();
    if (this.#stream.write(chunk)) return;
    await once(this.#stream, "drain", { signal: this.#closed.signal });
  }

  line(text: string): Promise<void> {
    return this.write(`${text}\n`);
  }

  /** Waits until everything is written. @throws Error if writing failed, unless the reader closed its end */
  async end(): Promise<void> {
    if (!this.#closed.signal.aborted)
      await new Promise<void>((resolve) => {
        this.#closed.signal.addEventListener("abort", () => resolve(), { once: true });
        this.#stream.write("", () => resolve());
      });
    this.#stream.off("error", this.#fail);
    if (this.#failure !== undefined) throw this.#failure;
  }
}
