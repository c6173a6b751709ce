import { type BigIntStats, realpathSync, statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { StorageError } from "../../values/errors/storage-error.ts";

/** The numbers of a file and of its device, and its size in bytes. */
type FileState = Pick<BigIntStats, "dev" | "ino" | "size">;

interface OpenFile {
  readonly path: string;
  /** Its last known state; undefined if the system does not number files, or no file existed. */
  known: FileState | undefined;
}

/**
 * The files of an open database: the database itself and its write-ahead log. SQLite writes to them through handles,
 * even after they were replaced under their names, and those commits are lost with the last handle. It does not
 * notice either that another program cut a file. So check them before each commit.
 */
export class OpenFiles {
  readonly #shown: string;
  readonly #database: OpenFile;
  #log: OpenFile | undefined;
  #files: readonly OpenFile[];

  /**
   * Create it before SQLite opens the file: a file that is replaced in between is then noticed.
   *
   * @param path - absolute
   * @param shown - the name of the file in errors
   */
  constructor(path: string, shown: string) {
    this.#shown = shown;
    this.#database = { path, known: stateOf(path) };
    this.#files = [this.#database];
  }

  /**
   * To be called once SQLite has its write-ahead log, which stays the same file until the last connection is closed.
   */
  addLog(): void {
    const path = `${realpathSync(this.#database.path)}-wal`;
    this.#log = { path, known: stateOf(path) };
    this.#files = [this.#database, this.#log];
  }

  /**
   * Remembers how large the log is. To be called after each commit, which added to it: neither file shrinks by
   * itself. The database grows by checkpoints, and is measured when it is checked.
   */
  noteCommit(): void {
    const log = this.#log;
    const found = log?.known && stateOf(log.path);
    // Another file, or less of this one, is for the next check.
    if (log?.known !== undefined && isSame(found, log.known) && found.size > log.known.size)
      log.known = found;
  }

  /**
   * Whether the files have at least their former sizes; if not, see {@link confirmSizes}.
   *
   * @throws StorageError `storage.file-replaced` when a file was deleted, moved or replaced
   */
  check(): boolean {
    let isComplete = true;
    for (const file of this.#files) {
      const { path, known } = file;
      if (known === undefined) continue;
      const found = stateOf(path);
      if (!isSame(found, known))
        throw this.#refusal(
          "was deleted, moved or replaced while it was open: what is written now would be lost, so nothing was. " +
            "Close the storage, put the file and its -wal file back where they were, and open it again.",
        );
      if (found.size < known.size) isComplete = false;
      else file.known = found;
    }
    return isComplete;
  }

  /**
   * Accepts files that are smaller than they were where SQLite itself made them so: after `VACUUM`, or after a
   * checkpoint that truncates the log. To be called outside of transactions.
   *
   * @throws StorageError `storage.file-replaced` when a file lacks pages that were written
   */
  confirmSizes(database: DatabaseSync): void {
    if (this.check()) return;
    if (!this.#hasAllPages(database))
      throw this.#refusal(
        "or its -wal file was cut or overwritten by another program while it was open: what is written now could not " +
          "be read again, so nothing was. Close the storage, and restore the file from a backup.",
      );
    for (const file of this.#files) file.known &&= stateOf(file.path) ?? file.known;
  }

  /** The database first: a checkpoint may write pages of the log to it. */
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
      // Pages that were cut cannot be read.
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

/** Bytes before all frames of a log, and before the page of each. Source: sqlite.org "WAL-mode File Format". */
const [logHeader, frameHeader] = [32, 24];

/** Big integers: numbers of files may be larger than a number is exact. */
const statOptions = { bigint: true, throwIfNoEntry: false } as const;

function stateOf(path: string): FileState | undefined {
  try {
    const found = statSync(path, statOptions);
    return found?.ino === 0n ? undefined : found;
  } catch {
    // A name that cannot be followed leads to no file.
    return undefined;
  }
}
