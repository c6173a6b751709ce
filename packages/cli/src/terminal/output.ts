import { once } from "node:events";

/** Where results are written: standard output, or a stream of a test's own. */
export interface ResultStream extends NodeJS.EventEmitter {
  readonly isTTY?: boolean;
  write(chunk: Uint8Array | string, done?: () => void): boolean;
}

/** Writes results, waits while the reader is slow, and notices that nobody reads any more, as `| head` does not. */
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

  /** Aborted when nobody reads any more, or when it cannot be written. */
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

  /** Waits until all is written. @throws Error where it could not be, unless the reader has gone */
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
