import { type BigIntStats, statSync } from "node:fs";
import { StorageError } from "../../values/errors/storage-error.ts";

/**
 * The files of a database that is read without SQLite's locks, because this process can't create the file that holds
 * them. A program that writes meanwhile would mix two states in one read, so every read is followed by a check.
 */
export class FixedFiles {
  readonly #shown: string;
  readonly #paths: readonly string[];
  readonly #known: string;

  /**
   * @param path - without symbolic links
   * @param shown - the name of the file in errors
   */
  constructor(path: string, shown: string) {
    this.#shown = shown;
    this.#paths = [path, `${path}-wal`, `${path}-journal`];
    this.#known = this.#state();
  }

  /** Whether all rows are in the database itself: no log, and no journal of an unfinished write. */
  get isWhole(): boolean {
    return this.#paths.slice(1).every((path) => stateOf(path) === "");
  }

  /** Runs a read. @throws StorageError `storage.file-replaced` if a file was changed meanwhile */
  read<Result>(work: () => Result): Result {
    try {
      return work();
    } finally {
      this.check();
    }
  }

  /** Call this after a read. @throws StorageError `storage.file-replaced` if a file was changed meanwhile */
  check(): void {
    if (this.#state() === this.#known) return;
    throw new StorageError(
      "storage.file-replaced",
      `${this.#shown} was changed by another program while it was open for reading only. Rows of two states could ` +
        "be mixed, so nothing was returned. Close the storage and open it again.",
      { applied: "no", status: 500 },
    );
  }

  #state(): string {
    return this.#paths.map(stateOf).join();
  }
}

/** An empty log has no rows, so it counts as none. */
function stateOf(path: string): string {
  const found: BigIntStats | undefined = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined || found.size === 0n
    ? ""
    : `${found.dev}/${found.ino}/${found.size}/${found.mtimeNs}`;
}
