import { allIds } from "../blocks/block.ts";
import { readState } from "../blocks/read-state.ts";
import { streamBlocksInPlace } from "../blocks/stream-blocks.ts";
import { contended, type VersionPlace } from "../errors/file-errors.ts";
import type { TableContext } from "@partita/core";
import type { AppendBlocks } from "../blocks/file-writer.ts";
import type { FileRow, StateRow } from "../rows/file-rows.ts";
import { contextOf, type FileStore } from "../store/file-store.ts";
import { saveOnce } from "../store/save-once.ts";
import { deleteFile } from "./delete-file.ts";
import { copyBlocks, type VersionWriting, withNewVersion } from "./write-version.ts";

/** Writes a new version of a path with the blocks of another file. */
export async function copyFile(
  store: FileStore,
  from: VersionPlace,
  to: string,
  writing: VersionWriting,
): Promise<FileRow> {
  return withNewVersion(store, to, writing, (append) => copyBlocks(allBlocks(store, from, writing), append));
}

/**
 * Copies a file and deletes it. Its version is closed under the copied state before the copy becomes visible,
 * so a block that is appended meanwhile is never lost.
 *
 * @throws FileError `file.contended` if it was written to meanwhile; then nothing is moved
 */
export async function moveFile(
  store: FileStore,
  from: FileRow,
  to: string,
  writing: VersionWriting,
): Promise<FileRow> {
  const { signal } = writing;
  const context = contextOf(store);
  const state = await readState(store, context, from, signal);
  const wasOpen = state.state === "open";
  const close = async (append: AppendBlocks): Promise<void> => {
    await copyBlocks(allBlocks(store, from, writing), append);
    if (wasOpen) state.state = "closed";
    else context.update(state, "state");
    if (!(await saveOnce(context, { place: from, what: "the end", signal }))) throw contended(from);
  };
  try {
    const moved = await withNewVersion(store, to, writing, close);
    await deleteFile(store, from.path, signal, from);
    return moved;
  } catch (error) {
    // The file stays and accepts blocks again. If that fails too, the next move reopens it.
    if (wasOpen && state.state === "closed") await reopen(context, state);
    throw error;
  }
}

async function reopen(context: TableContext, state: StateRow): Promise<void> {
  state.state = "open";
  await context.saveChanges().catch(() => undefined);
}

const allBlocks = (
  store: FileStore,
  place: VersionPlace,
  { signal }: VersionWriting,
): ReturnType<typeof streamBlocksInPlace> =>
  streamBlocksInPlace(store, place, { ...allIds, follow: false, pollMs: 0, signal });
