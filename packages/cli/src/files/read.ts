import type { StoredFile } from "@partita/files";
import { openFile, type Verb } from "./session.ts";

/** `cat`: the bytes of a file, as they are. */
export const cat: Verb = async (session, [path = ""], { version }) => {
  const file = await openFile(session, path, version);
  for await (const { bytes } of file.blocks({ signal: session.signal })) await session.out.write(bytes);
  return 0;
};

/** Blocks that `tail` prints where nothing says how many. */
const defaultBlocks = 10;

/** `tail`: the last blocks of a file, and with -f those that are appended. */
export const tail: Verb = async (session, [path = ""], { follow = false, blocks = defaultBlocks }) => {
  const { out, say, signal } = session;
  const file = await openFile(session, path);
  let { from, skipped } = await lastBlocks(file, blocks, signal);
  for await (const { bytes } of file.blocks({ from, follow, signal }))
    if (skipped-- <= 0) await out.write(bytes);
  if (follow) say("The file was deleted, or a newer version took its place.");
  return 0;
};

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
