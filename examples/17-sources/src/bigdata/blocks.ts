import { type Chapter, codeOf, holds, inPart, listOf, notBuilt } from "../item.ts";
import { filesOf, newFile, textOf, textsOf } from "./files.ts";

export const blocks: Chapter = {
  title: "Block operations",
  items: [
    holds("writeBlock says whether it replaced a block", [false, true], async (place) => {
      const file = await newFile(place);
      return [(await file.writeBlock(3n, "old")).overwrote, (await file.writeBlock(3n, "new")).overwrote];
    }),
    holds("writeBlock replaces the data of a block", "new", async (place) => {
      const file = await newFile(place);
      await file.writeBlock(3n, "a longer old text");
      await file.writeBlock(3n, "new");
      return textOf(await file.readBlock(3n));
    }),
    holds("readBlock finds a block by its id", "b", async (place) => {
      const file = await newFile(place);
      for (const text of ["a", "b"]) await file.append(text);
      return textOf(await file.readBlock(1n));
    }),
    holds("An empty block is no missing block", ["", undefined], async (place) => {
      const file = await newFile(place);
      await file.append("");
      return [textOf(await file.readBlock(0n)), textOf(await file.readBlock(1n))];
    }),
    holds("deleteBlock says whether it deleted a block", [true, false], async (place) => {
      const file = await newFile(place);
      await file.append("a");
      return [await file.deleteBlock(0n), await file.deleteBlock(0n)];
    }),
    holds("Block -1 of deleteBlock is the first block: deleteHead", [4n, ["9:b"]], async (place) => {
      const file = await newFile(place);
      await file.writeBlock(4n, "a");
      await file.writeBlock(9n, "b");
      return [(await file.deleteHead())?.id, await textsOf(file)];
    }),
    holds("A partial block stores only the bytes that were written", 3, async (place) => {
      const file = await newFile(place);
      await file.append("abc");
      return file.size();
    }),
    inPart(
      "A block above the block size is refused",
      "The block size is that of writers; writeBlock and append take up to 983,040 bytes",
      ["no error", "file.block-too-large"],
      async (place) => {
        const file = await newFile(place, { blockSize: 1000 });
        const write = (length: number) => codeOf(() => file.writeBlock(0n, new Uint8Array(length)));
        return [await write(1001), await write(983_041)];
      },
    ),
    holds("A longer buffer is divided into blocks by a writer", [1000, 1000, 500], async (place) => {
      const file = await newFile(place, { blockSize: 1000 });
      await using writer = file.writer();
      await writer.write("x".repeat(2500));
      await writer.flush();
      return (await listOf(file.blocks())).map(({ bytes }) => bytes.length);
    }),
    holds("blocks visits the ids in sequence", [1n, 4n, 9n], async (place) => {
      const file = await newFile(place);
      for (const id of [9n, 1n, 4n]) await file.writeBlock(id, "text");
      return (await listOf(file.blocks())).map(({ id }) => id);
    }),
    holds("getBlockCount counts the blocks", 3, async (place) => {
      const file = await newFile(place);
      for (const text of ["a", "", "c"]) await file.append(text);
      return file.blockCount();
    }),
    holds("getBlockCount leaves out deleted blocks", 1, async (place) => {
      const file = await newFile(place);
      for (const text of ["a", "b"]) await file.append(text);
      await file.deleteBlock(0n);
      return file.blockCount();
    }),
    holds("copyBlocks appends to an existing version", [2, ["0:x", "1:a", "2:b"]], async (place) => {
      const files = filesOf(place);
      const from = await files.create("/from");
      for (const text of ["a", "b"]) await from.append(text);
      const to = await files.create("/to");
      await to.append("x");
      return [(await to.appendFrom(from)).blocks, await textsOf(to)];
    }),
    holds(
      "copyBlocks copies empty blocks and doesn't combine partial ones",
      ["0:a", "1:", "2:b"],
      async (place) => {
        const files = filesOf(place);
        const from = await files.create("/from");
        for (const text of ["a", "", "b"]) await from.append(text);
        const to = await files.create("/to");
        await to.appendFrom(from);
        return textsOf(to);
      },
    ),
    holds("Other appends can come between those of a sequence", true, async (place) => {
      const files = filesOf(place);
      const [one, other] = [await files.create("/a"), await files.open("/a")];
      const ids = [await one.append("1"), await other?.append("x"), await one.append("2")];
      return ids[2] !== ids[0]! + 1n && (await one.text()) === "1x2";
    }),
    notBuilt("Compressed blocks (an open point of the source)", "Programs compress their content themselves"),
    notBuilt(
      "A global lock for changes of one file (an open point of the source)",
      "The change of the current version is one transaction, so no lock is needed",
    ),
  ],
};
