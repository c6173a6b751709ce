import { manualClock } from "@partita/testing";
import { type Chapter, codeOf, holds, inPart, listOf } from "../item.ts";
import { filesOf, newFile, textOf, textsOf } from "./files.ts";

export const streams: Chapter = {
  title: "Streams",
  items: [
    holds("A writer buffers bytes until the block is full", [0, 1], async (place) => {
      const file = await newFile(place, { blockSize: 100 });
      await using writer = file.writer();
      await writer.write("x".repeat(60));
      const before = await file.blockCount();
      await writer.write("x".repeat(60));
      await writer.flush();
      return [before, (await file.blockCount()) - 1];
    }),
    holds("flush writes a partial block", ["0:ab", "1:c"], async (place) => {
      const file = await newFile(place);
      await using writer = file.writer();
      for (const text of ["a", "b"]) await writer.write(text);
      await writer.flush();
      await writer.write("c");
      await writer.flush();
      return await textsOf(file);
    }),
    holds("flush without bytes writes no block", [undefined, 0], async (place) => {
      const file = await newFile(place);
      await using writer = file.writer();
      return [await writer.flush(), await file.blockCount()];
    }),
    holds("close writes the rest", "rest", async (place) => {
      const file = await newFile(place);
      await using writer = file.writer();
      await writer.write("rest");
      await writer.close();
      return await file.text();
    }),
    holds("Records never cross a block", ["0:aaaaaa", "1:bbbbbbcc"], async (place) => {
      const file = await newFile(place, { blockSize: 8 });
      await using writer = file.writer();
      for (const record of ["aaaaaa", "bbbbbb", "cc"]) await writer.writeRecord(record);
      await writer.flush();
      return await textsOf(file);
    }),
    holds("A writer says how much fits into the block", [8, 5], async (place) => {
      const file = await newFile(place, { blockSize: 8 });
      await using writer = file.writer();
      const empty = writer.remaining;
      await writer.write("abc");
      const left = writer.remaining;
      await writer.flush();
      return [empty, left];
    }),
    holds("writer(encoding) writes two bytes a character in UTF-16", 10, async (place) => {
      const file = await newFile(place);
      await using writer = file.writer({ encoding: "utf-16le" });
      await writer.write("Grüße");
      await writer.flush();
      return await file.size();
    }),
    holds("reader(encoding) reads text of an encoding", "Grüße", async (place) => {
      const file = await newFile(place);
      await file.append("Grüße", { encoding: "windows-1252" });
      return file.text("windows-1252");
    }),
    holds("Files can be read from the first flush on", "first", async (place) => {
      const files = filesOf(place);
      await using writer = (await files.create("/a")).writer();
      await writer.write("first");
      await writer.flush();
      await writer.write("second");
      return await (await files.open("/a"))?.text();
    }),
    inPart(
      "inputStream of a file without data is null",
      "The stream is empty, as that of an empty file",
      0,
      async (place) => (await listOf((await newFile(place)).stream())).length,
    ),
    holds("A stream stays at the blocks of its start", ["a", "ab"], async (place) => {
      const file = await newFile(place);
      await file.append("a");
      const reader = file.blocks();
      const first = await reader.next();
      await file.append("b");
      const rest = await listOf(reader);
      return [
        textOf(first.value?.bytes) + rest.map(({ bytes }) => textOf(bytes)).join(""),
        await file.text(),
      ];
    }),
    holds(
      "A read of a file that is expunged meanwhile is an error, not a short text",
      "file.reclaimed",
      async (place) => {
        const clock = manualClock(Date.now());
        const files = filesOf(place, { clock, blockSize: 1, zones: { "/": { keepDeletedMs: 0 } } });
        const file = await files.create("/a");
        await using writer = file.writer();
        await writer.write("x".repeat(1500));
        await writer.flush();
        const reader = file.blocks();
        await reader.next();
        await files.delete("/a");
        clock.advance(3_600_000);
        await files.reclaim();
        return await codeOf(() => listOf(reader));
      },
    ),
    holds("copyStream writes a stream and counts its bytes", [5, "a, b!"], async (place) => {
      let copied = 0;
      async function* content(): AsyncGenerator<string> {
        yield "a, ";
        yield "b!";
      }
      const file = await filesOf(place).write("/a", content(), {
        onProgress: (bytes) => void (copied = bytes),
      });
      return [copied, await file.text()];
    }),
    holds(
      "A small file is read into a buffer for its exact size",
      5,
      async (place) => (await (await filesOf(place).write("/a", "Hello")).bytes()).length,
    ),
    holds("The length is estimated by a range count times the block size", [300, 300], async (place) => {
      const file = await newFile(place, { blockSize: 100 });
      await using writer = file.writer();
      await writer.write("x".repeat(300));
      await writer.flush();
      return [await file.estimate(), await file.size()];
    }),
    holds("Splits divide a file at block boundaries for parallel readers", "abcdef", async (place) => {
      const file = await newFile(place);
      for (const text of ["a", "b", "c", "d", "e", "f"]) await file.append(text);
      const parts = await Promise.all((await file.splits(3)).map((range) => listOf(file.blocks(range))));
      return parts
        .flat()
        .map(({ bytes }) => textOf(bytes))
        .join("");
    }),
    holds("A file is delivered by HTTP as a stream", "Hello", async (place) => {
      const file = await filesOf(place).write("/a", "Hello");
      return new Response(file.stream()).text();
    }),
  ],
};
