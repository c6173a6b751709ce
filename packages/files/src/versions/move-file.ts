import { allIds } from "../blocks/block.ts";
import { readState } from "../blocks/read-state.ts";
import { streamBlocksInPlace } from "../blocks/stream-blocks.ts";
import { contended, type VersionPlace } from "../errors/file-errors.ts";
import type { TableContext } from "@partita/core";
import type { AppendBlocks } from "../blocks/file-writer.ts";
import type { StateRow } from "../rows/rows.ts";
import { contextOf, type FileStore } from "../store/file-store.ts";
import { saveOnce } from "../store/save-once.ts";
import { deleteFile } from "./delete-file.ts";
import type { FoundVersion } from "./find-version.ts";
import type { WrittenVersion } from "./new-version.ts";
import { copyBlocks, type VersionWriting, withNewVersion } from "./write-version.ts";

/** Writes a new version of a path with the blocks of another file. */
export async function copyFile(
  store: FileStore,
  from: FoundVersion,
  to: string,
  writing: VersionWriting,
): Promise<WrittenVersion> {
  return withNewVersion(store, to, writing, (append) =>
    copyBlocks(allBlocks(store, from.place, writing), append),
  );
}

/**
 * Copies a file and deletes it. Its version is closed under the copied state before the copy becomes visible,
 * so a block that is appended meanwhile is never lost.
 *
 * @throws FileError `file.contended` if it was written to meanwhile; then nothing is moved
 */
export async function moveFile(
  store: FileStore,
  from: FoundVersion,
  to: string,
  writing: VersionWriting,
): Promise<WrittenVersion> {
  const { signal } = writing;
  const { place } = from;
  const context = contextOf(store);
  const state = await readState(store, context, place, signal);
  const wasOpen = state.isClosed !== true;
  const close = async (append: AppendBlocks): Promise<void> => {
    await copyBlocks(allBlocks(store, place, writing), append);
    state.isClosed = true;
    context.touch(state);
    if (!(await saveOnce(context, { place, what: "the end", signal }))) throw contended(place);
  };
  try {
    const moved = await withNewVersion(store, to, writing, close);
    await deleteFile(store, place.path, signal, from);
    return moved;
  } catch (error) {
    // The file stays and accepts blocks again. If that fails too, the next move reopens it.
    if (wasOpen && state.isClosed === true) await reopen(context, state);
    throw error;
  }
}

async function reopen(context: TableContext, state: StateRow): Promise<void> {
  state.isClosed = false;
  await context.saveChanges().catch(() => undefined);
}

const allBlocks = (
  store: FileStore,
  place: VersionPlace,
  { signal }: VersionWriting,
): ReturnType<typeof streamBlocksInPlace> =>
  streamBlocksInPlace(store, place, { ...allIds, follow: false, pollMs: 0, signal });
