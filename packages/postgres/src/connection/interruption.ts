import { StorageError } from "@partita/core";
import { cancelled } from "@partita/core/internal/sql";
import type { StorageFailure } from "@partita/core/storage";
import type { ClientBase } from "pg";
import { cancelStatement } from "./cancel-statement.ts";

/** Ends the statement of a connection when the caller's signal is aborted, or when it takes too long. */
export class Interruption {
  readonly #signal: AbortSignal | undefined;
  readonly #timeoutMs: number;
  readonly #timer: NodeJS.Timeout;
  readonly #stop: () => void;
  #forget: (() => void) | undefined;

  constructor(client: ClientBase, signal: AbortSignal | undefined, timeoutMs: number) {
    this.#signal = signal;
    this.#timeoutMs = timeoutMs;
    this.#stop = () => {
      this.#forget ??= cancelStatement(client);
    };
    this.#timer = setTimeout(this.#stop, timeoutMs);
    signal?.addEventListener("abort", this.#stop, { once: true });
  }

  /** Call before sending: an earlier cancellation would not end the next statement. @throws StorageError */
  check(): void {
    if (this.#signal?.aborted === true) throw cancelled(this.#signal);
    const error = this.errorFor("no");
    if (error !== undefined) throw error;
  }

  /** The error that explains a failed statement; undefined if it was not interrupted. */
  errorFor(applied: StorageFailure["applied"]): StorageError | undefined {
    if (this.#forget === undefined) return undefined;
    if (this.#signal?.aborted === true) return cancelled(this.#signal, applied);
    return new StorageError(
      "storage.timeout",
      `No response arrived within ${this.#timeoutMs} ms. Find out which session holds a lock, or pass a longer timeoutMs.`,
      { applied },
    );
  }

  /** Call once when the statement has ended. Returns whether a cancellation was sent. */
  end(): boolean {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener("abort", this.#stop);
    this.#forget?.();
    return this.#forget !== undefined;
  }
}
