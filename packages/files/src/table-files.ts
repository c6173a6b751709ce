import type { TableStorage } from "@partita/core";
import { systemClock } from "@partita/core/rest";
import { missing } from "./errors/file-errors.ts";
import { chunksOf, checkContent, type FileContent } from "./file/content.ts";
import {
  checkCopy,
  checkCreate,
  checkDeleteAll,
  checkList,
  checkOpen,
  checkWrite,
  type CopyFileOptions,
  type CreateFileOptions,
  type DeleteAllOptions,
  type ListFilesOptions,
  type OpenFileOptions,
  type WriteFileOptions,
} from "./file/file-options.ts";
import { checkSignal, type SignalOptions } from "./file/read-options.ts";
import type { StoredFile } from "./file/stored-file.ts";
import { TableFile } from "./file/table-file.ts";
import { checkFilesOptions, type FilesOptions } from "./files-options.ts";
import { checkBound, checkPath } from "./paths/check-path.ts";
import type { DestroyOptions } from "./store/destroy-options.ts";
import type { FileStore } from "./store/file-store.ts";
import { defaultBlockSize, StoreOpener } from "./store/open-store.ts";
import { beginVersion, sealVersion, type VersionValues } from "./versions/new-version.ts";
import { deleteFile } from "./versions/delete-file.ts";
import type { FileInfo } from "./versions/file-info.ts";
import { infoOf } from "./versions/info-of.ts";
import { findAt, findCurrent, findVersion, versionsOf } from "./versions/find-version.ts";
import { listFiles } from "./versions/list-files.ts";
import { copyFile, moveFile } from "./versions/move-file.ts";
import { writeVersion } from "./versions/write-version.ts";
import { contextOf } from "./store/file-store.ts";
import type { ReclaimOptions, ReclaimReport } from "./reclaim/reclaim-options.ts";

/**
 * A file system in two tables of a storage. Each path has versions, and each version has blocks, which are
 * written, appended and deleted atomically, one by one.
 */
export interface Files {
  /**
   * Bytes of a full block, as in the options.
   *
   * ```ts
   * console.log(files.blockSize); // → 262144
   * ```
   */
  readonly blockSize: number;

  /**
   * Creates an empty file, or a new version of one, which is visible immediately. To write a complete file,
   * use `write`.
   *
   * @throws FileError `file.path`, `file.metadata`, `file.layout`; OptionError `file.option`
   */
  create(path: string, options?: CreateFileOptions): Promise<StoredFile>;

  /**
   * Writes a complete file. Readers see the previous version until all of it is stored. If the write does not
   * finish, the new version stays invisible and `reclaim` deletes it.
   *
   * @throws FileError `file.path`, `file.content`, `file.metadata`, `file.layout`, `file.in-doubt`;
   * OptionError `file.option`
   */
  write(path: string, content: FileContent, options?: WriteFileOptions): Promise<StoredFile>;

  /**
   * Opens the current version of a path, or one of its versions. Undefined if there is none.
   *
   * @throws FileError `file.path`, `file.version`, `file.layout`
   */
  open(path: string, options?: OpenFileOptions): Promise<StoredFile | undefined>;

  /**
   * Opens the version that was current at a time, unless it is reclaimed.
   *
   * @throws FileError `file.path`, `file.version`
   */
  at(path: string, date: Date, options?: SignalOptions): Promise<StoredFile | undefined>;

  /**
   * All versions of a path, newest first, including deleted ones and those being written.
   *
   * @throws FileError `file.path`
   */
  versions(path: string, options?: SignalOptions): Promise<readonly FileInfo[]>;

  /**
   * The current files in the order of their paths: all, or those of a range.
   *
   * @throws FileError `file.path`
   */
  list(options?: ListFilesOptions): AsyncGenerator<FileInfo, undefined>;

  /**
   * Copies the current version of a path to another path, block by block, with its metadata. The ids of the
   * copy start at 0 without gaps.
   *
   * @throws FileError `file.missing`, and the errors of `write`
   */
  copy(from: string, to: string, options?: CopyFileOptions): Promise<StoredFile>;

  /**
   * Copies a file, then deletes it. If the program is killed meanwhile, both files remain. Don't move a queue
   * while other programs take blocks from it: blocks that are taken meanwhile are also in the copy.
   *
   * @throws FileError `file.missing`, `file.contended` if the file was written to meanwhile, and the errors
   * of `write`
   */
  move(from: string, to: string, options?: CopyFileOptions): Promise<StoredFile>;

  /** Deletes a file. @returns false if there was none @throws FileError `file.path`, `file.in-doubt` */
  delete(path: string, options?: SignalOptions): Promise<boolean>;

  /**
   * Deletes all files of a range of paths, one by one. The start is inclusive, the end exclusive.
   *
   * @returns the number of deleted files
   */
  deleteAll(from: string, to: string, options?: DeleteAllOptions): Promise<number>;

  /**
   * Deletes the blocks of deleted versions and of abandoned writes, after the times in the policies of their
   * zones. You can stop it at any time; a later call resumes it. Several processes may share the work.
   *
   * @throws FileError `file.layout` if no zones were given; OptionError `file.option`; StorageError if
   * requests fail too often, or `signal` stops it
   */
  reclaim(options?: ReclaimOptions): Promise<ReclaimReport>;

  /**
   * Deletes the file system with all of its files, by deleting its tables. If it is stopped, no program can open
   * the file system any more until a later call ends the work.
   *
   * ```ts
   * await files.destroy({ confirm: "Docs" });
   * ```
   *
   * @param options - `confirm` repeats the name of the file system
   * @throws OptionError `file.option`; FileError `file.read-only`
   */
  destroy(options: DestroyOptions): Promise<void>;
}

/**
 * Opens a file system. Nothing is read or written yet. Its tables are created with the first file.
 *
 * @throws OptionError `file.option`; FileError `file.path` for a zone
 */
export function tableFiles(storage: TableStorage, options: FilesOptions = {}): Files {
  checkFilesOptions(options);
  return new TableFiles(storage, options);
}

class TableFiles implements Files {
  readonly blockSize: number;
  readonly #opener: StoreOpener;

  constructor(storage: TableStorage, options: FilesOptions) {
    this.blockSize = options.blockSize ?? defaultBlockSize;
    this.#opener = new StoreOpener({ storage, options, clock: options.clock ?? systemClock });
  }

  async create(path: string, options: CreateFileOptions = {}): Promise<StoredFile> {
    checkPath(path);
    checkCreate(options);
    const { signal } = options;
    const store = await this.#opener.forWriting(signal);
    const begun = await beginVersion(store, path, { values: valuesOf(options), blocks: [], signal });
    return new TableFile(store, await sealVersion(store, begun, signal));
  }

  async write(path: string, content: FileContent, options: WriteFileOptions = {}): Promise<StoredFile> {
    checkPath(path);
    checkContent(content);
    checkWrite(options);
    const { signal, onProgress } = options;
    const store = await this.#opener.forWriting(signal);
    const writing = { values: valuesOf(options), onProgress, signal };
    const written = await writeVersion(store, path, chunksOf(content), writing, options.encoding);
    return new TableFile(store, written);
  }

  async open(path: string, options: OpenFileOptions = {}): Promise<StoredFile | undefined> {
    checkPath(path);
    checkOpen(options);
    const { signal, version } = options;
    return this.#found(signal, (store) =>
      version === undefined ? findCurrent(store, path, signal) : findVersion(store, path, version, signal),
    );
  }

  async at(path: string, date: Date, options: SignalOptions = {}): Promise<StoredFile | undefined> {
    checkPath(path);
    checkSignal(options);
    return this.#found(options.signal, (store) => findAt(store, path, date, options.signal));
  }

  async #found(
    signal: AbortSignal | undefined,
    find: (store: FileStore) => ReturnType<typeof findCurrent>,
  ): Promise<StoredFile | undefined> {
    const store = await this.#opener.forReading(signal);
    const found = store && (await find(store));
    return store && found && new TableFile(store, found);
  }

  async versions(path: string, options: SignalOptions = {}): Promise<readonly FileInfo[]> {
    checkPath(path);
    checkSignal(options);
    const { signal } = options;
    const store = await this.#opener.forReading(signal);
    if (store === undefined) return [];
    const rows = versionsOf(store, contextOf(store), path).mergeOption("noTracking");
    return (await rows.toArray({ signal })).map(infoOf);
  }

  async *list(options: ListFilesOptions = {}): AsyncGenerator<FileInfo, undefined> {
    checkList(options);
    const { from, to, signal } = options;
    checkBound(from);
    checkBound(to);
    const store = await this.#opener.forReading(signal);
    if (store === undefined) return;
    yield* listFiles(store, { from, to }, signal);
  }

  copy(from: string, to: string, options: CopyFileOptions = {}): Promise<StoredFile> {
    return this.#copied(from, to, options, copyFile);
  }

  move(from: string, to: string, options: CopyFileOptions = {}): Promise<StoredFile> {
    return this.#copied(from, to, options, moveFile);
  }

  async #copied(
    from: string,
    to: string,
    options: CopyFileOptions,
    copyTo: typeof moveFile,
  ): Promise<StoredFile> {
    checkPath(from);
    checkPath(to);
    checkCopy(options);
    const { signal, onProgress } = options;
    const store = await this.#opener.forChanging(signal);
    const source = store && (await findCurrent(store, from, signal));
    if (store === undefined || source === undefined) throw missing(from);
    if (copyTo === moveFile && from === to) return new TableFile(store, source);
    const writing = { values: valuesOf(source.info), onProgress, signal };
    return new TableFile(store, await copyTo(store, source, to, writing));
  }

  async delete(path: string, options: SignalOptions = {}): Promise<boolean> {
    checkPath(path);
    checkSignal(options);
    const store = await this.#opener.forChanging(options.signal);
    return store !== undefined && deleteFile(store, path, options.signal);
  }

  async deleteAll(from: string, to: string, options: DeleteAllOptions = {}): Promise<number> {
    checkDeleteAll(options);
    const { signal, onProgress } = options;
    await this.#opener.forChanging(signal);
    let deleted = 0;
    for await (const { path } of this.list({ from, to, signal })) {
      if (await this.delete(path, { signal })) deleted++;
      onProgress?.(deleted);
    }
    return deleted;
  }

  async reclaim(options: ReclaimOptions = {}): Promise<ReclaimReport> {
    const { reclaimFiles } = await import("./reclaim/reclaim-files.ts");
    return reclaimFiles(await this.#opener.forChanging(options.signal), options);
  }

  destroy(options: DestroyOptions): Promise<void> {
    return this.#opener.destroy(options);
  }
}

/** From the options of a call, or from another version. */
const valuesOf = ({ contentType, metadata }: VersionValues): VersionValues => ({
  contentType,
  metadata,
});
