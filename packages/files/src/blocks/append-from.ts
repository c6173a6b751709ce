import { contended, type VersionName } from "../errors/file-errors.ts";
import type { CopiedMark, StateRow } from "../rows/rows.ts";
import type { AppendedBlocks, Block } from "./block.ts";
import type { BlockAppender } from "./block-appender.ts";
import { packBlocks } from "./pack-blocks.ts";

/** The blocks of another file. */
export interface BlockSource extends VersionName {
  /** Reads the blocks from an id on. */
  readonly blocks: (from: bigint) => AsyncIterable<Block>;
  readonly from: bigint;
}

interface AppendFromOptions {
  /** Whether to continue after the blocks of an earlier call. */
  readonly resume: boolean;
  readonly onProgress: ((progress: AppendedBlocks) => void) | undefined;
  readonly signal: AbortSignal | undefined;
}

/**
 * Appends the blocks of another file. The state of the version says with each transaction which blocks were copied, so
 * a call that was stopped can be continued, and never appends a block twice.
 *
 * @throws FileError `file.contended` if another program copies the same blocks meanwhile; the errors of an append
 */
export async function appendFrom(
  { place, appender }: { readonly place: VersionName; readonly appender: BlockAppender },
  { path, version, blocks, from }: BlockSource,
  { resume, onProgress, signal }: AppendFromOptions,
): Promise<AppendedBlocks> {
  let mark = resume ? markOf(await appender.readState(signal), { path, version }) : undefined;
  const start = mark === undefined || BigInt(mark.next) < from ? from : BigInt(mark.next);
  let done: AppendedBlocks = { blocks: 0, next: start };
  for await (const pack of packBlocks(blocks(start))) {
    const next = (pack.at(-1) as Block).id + 1n;
    const expected = mark;
    const copied: CopiedMark = { path, version, next: String(next) };
    const setMark = (state: StateRow): void => {
      const isMoved = resume && markOf(state, copied)?.next !== expected?.next;
      if (isMoved) throw contended(place);
      state.copied = copied;
    };
    await appender.append(
      pack.map(({ bytes }) => bytes),
      signal,
      setMark,
    );
    mark = copied;
    done = { blocks: done.blocks + pack.length, next };
    onProgress?.(done);
  }
  return done;
}

/** The mark of blocks that were copied from the same version. */
const markOf = ({ copied }: StateRow, { path, version }: VersionName): CopiedMark | undefined =>
  copied?.path === path && copied.version === version ? copied : undefined;
