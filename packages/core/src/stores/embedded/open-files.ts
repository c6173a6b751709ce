import { type BigIntStats, realpathSync, statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { StorageError } from "../../values/errors/storage-error.ts";

/** The file's and its device's numbers, and its size in bytes. */
type FileState = Pick<BigIntStats, "dev" | "ino" | "size">;

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
   * outside of transactions.
   *
   * @throws StorageError `storage.file-replaced` when a file lacks pages that were written
   */
  confirmSizes(database: DatabaseSync): void {
    if (this.check()) return;
    if (!this.#hasAllPages(database))
      throw this.#refusal(
        "or its -wal file was truncated or overwritten by another program while it was open. New data could not " +
          "be read again, so nothing was written. Close the storage, and restore the file from a backup.",
      );
    for (const file of this.#files) file.known &&= stateOf(file.path) ?? file.known;
  }

  /** Check the database first: a checkpoint may write pages of the log to it. */
  #hasAllPages(database: DatabaseSync): boolean {
    const number = (pragma: string): number =>
      Number(Object.values(database.prepare(`PRAGMA ${pragma}`).get() ?? {})[0]);
    const pageSize = number("page_size");
    const isShorter = ({ path, known }: OpenFile, bytes: number): boolean => {
      const size = stateOf(path)?.size ?? 0n;
      return known !== undefined && size < known.size && size < bytes;
    };
    try {
      if (isShorter(this.#database, number("page_count") * pageSize)) return false;
      const frames = Number(database.prepare("PRAGMA wal_checkpoint(PASSIVE)").get()?.["log"]);
      // Another connection is writing a checkpoint: the expected size of the log is unknown.
      if (frames < 0) return false;
      const bytes = frames > 0 ? logHeader + frames * (frameHeader + pageSize) : 0;
      return this.#log === undefined || !isShorter(this.#log, bytes);
    } catch {
      // Truncated pages cannot be read.
      return false;
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

/** The sizes of a log's header and of each frame's header, in bytes. Source: sqlite.org "WAL-mode File Format". */
const [logHeader, frameHeader] = [32, 24];

/** Big integers, since file numbers may exceed the exact range of a number. */
const statOptions = { bigint: true, throwIfNoEntry: false } as const;

function stateOf(path: string): FileState | undefined {
  try {
    const found = statSync(path, statOptions);
    return found?.ino === 0n ? undefined : found;
  } catch {
    // The path cannot be followed, so there is no file.
    return undefined;
  }
}
