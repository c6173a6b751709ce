import type { Block } from "./block.ts";
import { fitsPack } from "./block-packer.ts";
import { freeMemory } from "./free-memory.ts";

/**
 * Groups blocks into packs for one transaction each. The memory of a pack's blocks is freed when the next pack is
 * requested.
 *
 * @param blocks - no other code holds their bytes
 */
export async function* packBlocks(blocks: AsyncIterable<Block>): AsyncGenerator<readonly Block[], undefined> {
  let pack: Block[] = [];
  let size = 0;
  for await (const block of blocks) {
    if (pack.length > 0 && !fitsPack(pack.length + 1, size + block.bytes.byteLength)) {
      yield pack;
      for (const { bytes } of pack) freeMemory(bytes);
      [pack, size] = [[], 0];
    }
    pack.push(block);
    size += block.bytes.byteLength;
  }
  if (pack.length > 0) yield pack;
}
