import type { StoredFile } from "@partita/files";
import { openFile, type Verb } from "./session.ts";

/** `cat`: prints the bytes of a file. */
export const cat: Verb = async (session, [path = ""], { version }) => {
  const file = await openFile(session, path, version);
  for await (const { bytes } of file.blocks({ signal: session.signal })) await session.out.write(bytes);
  return 0;
};

/** Default number of blocks that `tail` prints. */
const defaultBlocks = 10;

/** `tail`: prints the last blocks of a file. With -f, also those appended later. */
export const tail: Verb = async (session, [path = ""], { follow = false, blocks = defaultBlocks }) => {
  const { out, say, signal } = session;
  const file = await openFile(session, path);
  let { from, skipped } = await lastBlocks(file, blocks, signal);
  for await (const { bytes } of file.blocks({ from, follow, signal }))
    if (skipped-- <= 0) await out.write(bytes);
  if (follow) say("The file was deleted or replaced by a newer version.");
  return 0;
};

/** The first block to read, and the number of blocks to skip, since block numbers may have gaps. */
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
