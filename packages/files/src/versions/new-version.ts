import { addBlocks, addState, BlockAppender } from "../blocks/block-appender.ts";
import { closeVersion } from "../blocks/read-state.ts";
import { closed, type VersionPlace } from "../errors/file-errors.ts";
import type { TableContext } from "@partita/core";
import { changedMetadata, type FileMetadata, timesOf } from "../rows/file-metadata.ts";
import type { FileRow, HeadRow } from "../rows/rows.ts";
import { contextOf, type FileStore, nowOf } from "../store/file-store.ts";
import { saveOnce, untilFirst } from "../store/save-once.ts";
import { addNumber, endCurrent, setCurrent } from "./change-head.ts";
import { findHead, type FoundVersion } from "./find-version.ts";
import { infoOf } from "./info-of.ts";

/** The values of a new version. */
export interface VersionValues {
  readonly contentType?: string | undefined;
  readonly metadata?: FileMetadata | undefined;
}

type Signal = AbortSignal | undefined;

/** A version with a partition of its own, which is not visible yet. */
export interface BegunVersion {
  readonly appender: BlockAppender;
  /** Its row, and the context that tracks it together with the head of its path. */
  readonly row: FileRow;
  readonly head: HeadRow;
  readonly context: TableContext;
}

/** A version that was written. */
export interface WrittenVersion extends FoundVersion {
  readonly appender?: BlockAppender;
}

/** Stores a version in one transaction, and makes it the current one. */
export async function writeSmall(
  store: FileStore,
  path: string,
  { values, blocks, signal }: { values: VersionValues; blocks: readonly Uint8Array[]; signal: Signal },
): Promise<WrittenVersion> {
  const { info, place, ended } = await untilFirst(
    store,
    { place: { path, version: 0 }, signal },
    async () => {
      const context = contextOf(store);
      const before = await findHead(store, context, path, signal);
      const now = nowOf(store);
      const createdAt = before?.createdAt ?? now;
      const ended = endCurrent(store, context, before, now);
      const head = addNumber(store, context, path, before);
      const place = { path, version: head.newest, isSmall: true };
      const row = addRow(store, context, place, { state: "current", createdAt, now, values });
      setCurrent(head, row);
      const state = addState(store, context, place);
      addBlocks(store, { context, state }, place, { blocks, writtenAt: now });
      const isSaved = await saveOnce(context, { place, what: "the write", signal });
      return isSaved ? { info: infoOf(row), place, ended } : undefined;
    },
  );
  if (ended !== undefined) await closeVersion(store, ended, signal);
  return { info, place };
}

/**
 * Begins a version that is not visible yet, with its first blocks. Its row is written first, so everything
 * that is stored of the version can be found and reclaimed, even if its program is killed.
 */
export async function beginVersion(
  store: FileStore,
  path: string,
  { values, blocks, signal }: { values: VersionValues; blocks: readonly Uint8Array[]; signal: Signal },
): Promise<BegunVersion> {
  const begun = await untilFirst(store, { place: { path, version: 0 }, signal }, async () => {
    const context = contextOf(store);
    const head = addNumber(store, context, path, await findHead(store, context, path, signal));
    const place = { path, version: head.newest, isSmall: false };
    const now = nowOf(store);
    const row = addRow(store, context, place, { state: "writing", createdAt: now, now, values });
    const isSaved = await saveOnce(context, { place, what: "the start", signal });
    return isSaved ? { row, head, context } : undefined;
  });
  const appender = new BlockAppender(store, { path, version: begun.row.version, isSmall: false });
  await appender.begin(blocks, signal);
  return { ...begun, appender };
}

function addRow(
  { rows }: FileStore,
  context: TableContext,
  { path, version, isSmall }: VersionPlace,
  more: { state: FileRow["state"]; createdAt: Date; now: Date; values: VersionValues },
): FileRow {
  const { state, createdAt, now, values } = more;
  const times = { createdAt, versionCreatedAt: now, updatedAt: now };
  const { contentType, metadata } = values;
  const ofMetadata = metadata && {
    metadata: changedMetadata(metadata),
    metadataTimes: timesOf(metadata, now),
  };
  const own = { path, version, state, isSmall, contentType };
  return context.create(rows.FileRow, { ...own, ...times, ...ofMetadata });
}

/**
 * Makes a version the current one and ends the previous one, in one transaction. If a newer version is
 * already current, this version is deleted immediately.
 *
 * @throws FileError `file.closed` if it was treated as abandoned meanwhile, and is being reclaimed
 */
export async function sealVersion(
  store: FileStore,
  { appender, ...begun }: BegunVersion,
  signal: Signal,
): Promise<WrittenVersion> {
  const { path, version } = begun.row;
  const place = { path, version, isSmall: false };
  // Nothing is read if no other program has changed the path since.
  let read: Omit<BegunVersion, "appender"> | undefined = begun;
  const { row, ended } = await untilFirst(store, { place, signal }, async () => {
    const { context, head, row } = read ?? (await readAgain(store, place, signal));
    read = undefined;
    const now = nowOf(store);
    Object.assign(row, { versionCreatedAt: now, updatedAt: now });
    const isNewest = (head.version ?? 0) < version;
    Object.assign(row, isNewest ? { state: "current" } : { state: "deleted", deletedAt: now });
    if (head.createdAt !== undefined) row.createdAt = head.createdAt;
    const ended = isNewest ? endCurrent(store, context, head, now) : place;
    if (isNewest) setCurrent(head, row);
    const isSaved = await saveOnce(context, { place, what: "the end of the write", signal });
    return isSaved ? { row, ended } : undefined;
  });
  if (ended !== undefined) await closeVersion(store, ended, signal);
  return { place, info: infoOf(row), appender };
}

async function readAgain(
  store: FileStore,
  place: VersionPlace,
  signal: Signal,
): Promise<Omit<BegunVersion, "appender">> {
  const { path, version } = place;
  const context = contextOf(store);
  const [head, row] = await Promise.all([
    findHead(store, context, path, signal),
    context.find(store.rows.FileRow, { path, version }, { signal }),
  ]);
  if (head === undefined || row?.state !== "writing") throw closed(place);
  return { context, head, row };
}
