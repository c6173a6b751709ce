import { type BigIntStats, realpathSync, statSync } from "node:fs";
import { StorageError } from "../../errors/storage-error.ts";

/** The number of a file and that of its device; undefined where the system has none, or no file is there. */
type Identity = Pick<BigIntStats, "dev" | "ino"> | undefined;

/**
 * The files of an open database. SQLite writes to them through handles, also after their names lead elsewhere: what is
 * committed then is gone with the last handle. So whoever commits checks the names first.
 */
export class OpenFiles {
  readonly #path: string;
  readonly #shown: string;
  readonly #database: Identity;
  #log: { readonly path: string; readonly identity: Identity } | undefined;

  /**
   * To be made before SQLite opens the file: a file that is replaced in between is noticed then.
   *
   * @param path - absolute
   * @param shown - what errors call the file
   */
  constructor(path: string, shown: string) {
    this.#path = path;
    this.#shown = shown;
    this.#database = identityOf(path);
  }

  /** To be called once SQLite has its write-ahead log, which stays the same file until the last connection is closed. */
  addLog(): void {
    const path = `${realpathSync(this.#path)}-wal`;
    this.#log = { path, identity: identityOf(path) };
  }

  /** @throws StorageError `storage.file-replaced` when a file was deleted, moved or replaced */
  check(): void {
    if (isThere(this.#path, this.#database) && isThere(this.#log?.path ?? "", this.#log?.identity)) return;
    throw new StorageError(
      "storage.file-replaced",
      `${this.#shown} was deleted, moved or replaced while it was open: what is written now would be lost, so nothing was. ` +
        "Close the storage, put the file and its -wal file back where they were, and open it again.",
      { applied: "no", status: 500 },
    );
  }
}

function isThere(path: string, known: Identity): boolean {
  if (known === undefined) return true;
  const found = identityOf(path);
  return found !== undefined && found.ino === known.ino && found.dev === known.dev;
}

function identityOf(path: string): Identity {
  try {
    // As they are: numbers of files may be larger than a number is exact.
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    return found?.ino === 0n ? undefined : found;
  } catch {
    // A name that cannot be followed leads to no file.
    return undefined;
  }
}
