import { type BigIntStats, realpathSync, statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { StorageError } from "../../values/errors/storage-error.ts";
import { findMissingPages } from "./missing-pages.ts";

/** The file's and its device's numbers, and its size in bytes. */
type FileState = Pick<BigIntStats, "dev" | "ino" | "size" | "mtimeNs">;

interface OpenFile {
  readonly path: string;
  /** Its last known state; undefined if the system does not number files, or no file existed. */
  known: FileState | undefined;
}

/**
 * The files of an open database: the database itself and its write-ahead log. SQLite writes through open handles even
 * after the files were replaced, and loses those commits when the last handle is closed. It does not notice either if
 * another program truncates a file. So the files are checked before each commit.
 */
export class OpenFiles {
  readonly #shown: string;
  readonly #database: OpenFile;
  #log: OpenFile | undefined;
  #files: readonly OpenFile[];

  /**
   * Create this before SQLite opens the file, to notice a file that is replaced in between.
   *
   * @param path - absolute
   * @param shown - the name of the file in errors
   */
  constructor(path: string, shown: string) {
    this.#shown = shown;
    this.#database = { path, known: stateOf(path) };
    this.#files = [this.#database];
  }

  /** Call this once SQLite has its write-ahead log, which stays the same file until the last connection is closed. */
  addLog(): void {
    const path = `${realpathSync(this.#database.path)}-wal`;
    this.#log = { path, known: stateOf(path) };
    this.#files = [this.#database, this.#log];
  }

  /**
   * Remembers the size of the log. Call this after each commit, which makes it larger: neither file shrinks by itself.
   * The database grows at checkpoints, and is measured when it is checked.
   */
  noteCommit(): void {
    const log = this.#log;
    const found = log?.known && stateOf(log.path);
    // If the file was replaced or is smaller, the next check finds that.
    if (log?.known !== undefined && isSame(found, log.known) && found.size > log.known.size)
      log.known = found;
  }

  /**
   * Whether the files are at least as large as before; if not, call {@link confirmSizes}.
   *
   * @throws StorageError `storage.file-replaced` if a file was deleted, moved or replaced
   */
  check(): boolean {
    let isComplete = true;
    for (const file of this.#files) {
      const { path, known } = file;
      if (known === undefined) continue;
      const found = stateOf(path);
      if (!isSame(found, known))
        throw this.#refusal(
          "was deleted, moved or replaced while it was open. New data would be lost, so nothing was written. " +
            "Close the storage, put the file and its -wal file back where they were, and open it again.",
        );
      if (found.size < known.size) isComplete = false;
      else file.known = found;
    }
    return isComplete;
  }

  /**
   * Accepts smaller files if SQLite itself truncated them: by `VACUUM`, or by a checkpoint of the log. Call this
   * outside of transactions. While another connection writes a checkpoint, the sizes say nothing, and this waits.
   *
   * @throws StorageError `storage.file-replaced` when a file lacks pages that were written; `storage.server-busy` if a
   *   checkpoint takes longer than `busyTimeoutMs`
   */
  async confirmSizes(database: DatabaseSync, busyTimeoutMs: number): Promise<void> {
    const deadline = performance.now() + busyTimeoutMs;
    let [state, changedAt] = ["", 0];
    while (!this.check()) {
      const missing = findMissingPages(database, this.#database.path, this.#log?.path);
      if (missing === "none") {
        for (const file of this.#files) file.known &&= stateOf(file.path) ?? file.known;
        return;
      }
      const now = this.#files.map(({ path }) => sizeAndTimeOf(path)).join();
      if (now !== state) [state, changedAt] = [now, performance.now()];
      else if (missing === "some" && performance.now() - changedAt >= settledMs)
        throw this.#refusal(
          "or its -wal file was truncated or overwritten by another program while it was open. New data could not " +
            "be read again, so nothing was written. Close the storage, and restore the file from a backup.",
        );
      if (missing === "unknown" && performance.now() >= deadline)
        throw StorageError.ofService("ServerBusy", this.#shown);
      await delay(10);
    }
  }

  #refusal(what: string): StorageError {
    return new StorageError("storage.file-replaced", `${this.#shown} ${what}`, {
      applied: "no",
      status: 500,
    });
  }
}

const isSame = (found: FileState | undefined, known: FileState): found is FileState =>
  found !== undefined && found.ino === known.ino && found.dev === known.dev;

/**
 * How long files that lack pages must stay the same, in milliseconds. A checkpoint writes the first page, which has the
 * number of pages, before the others.
 */
const settledMs = 200;

/** Big integers, since file numbers may exceed the exact range of a number. */
const statOptions = { bigint: true, throwIfNoEntry: false } as const;

function sizeAndTimeOf(path: string): string {
  const { size, mtimeNs } = stateOf(path) ?? { size: 0n, mtimeNs: 0n };
  return `${size}/${mtimeNs}`;
}

function stateOf(path: string): FileState | undefined {
  try {
    const found = statSync(path, statOptions);
    return found?.ino === 0n ? undefined : found;
  } catch {
    // The path cannot be followed, so there is no file.
    return undefined;
  }
}
