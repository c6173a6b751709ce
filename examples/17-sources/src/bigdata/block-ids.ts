import { type Chapter, codeOf, holds, inPart, notBuilt } from "../item.ts";
import { filesOf, newFile, textsOf } from "./files.ts";

const lastBlock = 2n ** 63n - 2n;

export const blockIds: Chapter = {
  title: "Block identifiers",
  items: [
    holds("append returns the id of the block, one up each time", [0n, 1n, 2n], async (place) => {
      const file = await newFile(place);
      return [await file.append("a"), await file.append("b"), await file.append("c")];
    }),
    holds("append writes the successor of the largest id", 8n, async (place) => {
      const file = await newFile(place);
      await file.writeBlock(7n, "seven");
      return file.append("eight");
    }),
    holds("Ids are not reused after blocks are deleted", 2n, async (place) => {
      const file = await newFile(place);
      for (const text of ["a", "b"]) await file.append(text);
      for (const id of [0n, 1n]) await file.deleteBlock(id);
      return file.append("c");
    }),
    holds("Concurrent appends get different ids without gaps", [0n, 1n, 2n, 3n], async (place) => {
      const files = filesOf(place);
      await files.create("/a");
      const append = async () => (await files.open("/a"))?.append("text");
      const ids = await Promise.all([append(), append(), append(), append()]);
      return ids.toSorted((a, b) => Number((a ?? 0n) - (b ?? 0n)));
    }),
    holds("Ids order the blocks into the bytes of the file", "abc", async (place) => {
      const file = await newFile(place);
      await file.writeBlock(2n, "c");
      await file.writeBlock(0n, "a");
      await file.writeBlock(1n, "b");
      return file.text();
    }),
    holds("Blocks written out of sequence leave holes", ["0:a", "5:f"], async (place) => {
      const file = await newFile(place);
      await file.writeBlock(5n, "f");
      await file.writeBlock(0n, "a");
      return textsOf(file);
    }),
    holds("A hole can be filled later", ["0:a", "1:b", "2:c"], async (place) => {
      const file = await newFile(place);
      for (const [id, text] of [
        [0n, "a"],
        [2n, "c"],
        [1n, "b"],
      ] as const)
        await file.writeBlock(id, text);
      return textsOf(file);
    }),
    holds("copyBlocks numbers the blocks without holes", ["0:a", "1:f"], async (place) => {
      const files = filesOf(place);
      const file = await files.create("/a");
      await file.writeBlock(5n, "f");
      await file.writeBlock(0n, "a");
      return textsOf(await files.copy("/a", "/b"));
    }),
    holds("The largest id is 2^63 - 2", { overwrote: false, block: lastBlock }, async (place) =>
      (await newFile(place)).writeBlock(lastBlock, "last"),
    ),
    holds("After the largest id, nothing can be appended", "file.full", async (place) => {
      const file = await newFile(place);
      await file.writeBlock(lastBlock, "last");
      return codeOf(() => file.append("more"));
    }),
    holds("After the largest id, blocks can still be written", ["0:first"], async (place) => {
      const file = await newFile(place);
      await file.writeBlock(lastBlock, "last");
      await file.writeBlock(0n, "first");
      return (await textsOf(file)).slice(0, 1);
    }),
    holds("A negative id is refused", "file.block-id", async (place) => {
      const file = await newFile(place);
      return codeOf(() => file.writeBlock(-1n, "text"));
    }),
    holds("An id above the largest one is refused", "file.block-id", async (place) => {
      const file = await newFile(place);
      return codeOf(() => file.writeBlock(lastBlock + 1n, "text"));
    }),
    holds("getBlockSize is readable", 1000, (place) => filesOf(place, { blockSize: 1000 }).blockSize),
    notBuilt("getOffsetBits", "The size of a block doesn't depend on the addresses of a journal"),
    inPart(
      "A file has up to 2^63 - 1 blocks",
      "A version with its own partition takes them, but a table service limits the size of a table",
      ["0:a", `${lastBlock}:z`],
      async (place) => {
        const file = await newFile(place);
        await file.writeBlock(lastBlock, "z");
        await file.writeBlock(0n, "a");
        return textsOf(file);
      },
    ),
    inPart(
      "A block has up to 64 MiB",
      "An entity has at most 1 MiB, so a block has at most 983,040 bytes",
      ["no error", "file.option"],
      async (place) => [
        await codeOf(() => filesOf(place, { blockSize: 983_040 })),
        await codeOf(() => filesOf(place, { blockSize: 983_041 })),
      ],
    ),
  ],
};
