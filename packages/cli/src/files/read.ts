import type { StoredFile } from "@partita/files";
import type { VerbArguments } from "./files-arguments.ts";
import { type FilesSession, openFile } from "./session.ts";

/** `cat`: the bytes of a file, as they are. */
export async function cat(session: FilesSession, asked: VerbArguments): Promise<number> {
  const [path = ""] = asked.operands;
  const file = await openFile(session, path, asked.version);
  for await (const { bytes } of file.blocks({ signal: session.signal })) await session.out.write(bytes);
  return 0;
}

/** Blocks that `tail` prints where nothing says how many. */
const defaultBlocks = 10;

/** `tail`: the last blocks of a file, and with -f those that are appended. */
export async function tail(session: FilesSession, asked: VerbArguments): Promise<number> {
  const { out, messages, signal } = session;
  const [path = ""] = asked.operands;
  const { isFollowed: follow, blocks = defaultBlocks } = asked;
  const file = await openFile(session, path);
  let { from, skipped } = await lastBlocks(file, blocks, signal);
  for await (const { bytes } of file.blocks({ from, follow, signal }))
    if (skipped-- <= 0) await out.write(bytes);
  if (follow) messages.write("The file was deleted, or a newer version took its place.\n");
  return 0;
}

/** From which block on, and how many of those to leave out: blocks may be missing between others. */
async function lastBlocks(
  file: StoredFile,
  count: number,
  signal: AbortSignal,
): Promise<{ readonly from: bigint; readonly skipped: number }> {
  const [all] = await file.splits(1, { signal });
  if (all === undefined) return { from: 0n, skipped: 0 };
  if (count === 0) return { from: all.to, skipped: 0 };
  for (let width = BigInt(count); ; width *= 4n) {
    const from = all.to - width > all.from ? all.to - width : all.from;
    const found = await file.blockCount({ from, to: all.to, signal });
    if (found >= count || from === all.from) return { from, skipped: Math.max(0, found - count) };
  }
}
