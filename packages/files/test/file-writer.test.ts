import { expect, test } from "vitest";
import { BlockPacker } from "../src/blocks/block-packer.ts";
import { FileWriter } from "../src/blocks/file-writer.ts";

/** A writer whose transactions are kept as texts; one of them may fail. */
function writerInto(sent: string[][], failAt = Number.POSITIVE_INFINITY): FileWriter {
  return new FileWriter(async (blocks) => {
    if (sent.length === failAt) throw new Error("not sent");
    sent.push(blocks.map((bytes) => Buffer.from(bytes).toString()));
    return BigInt(sent.length);
  }, 4);
}

test("what is written becomes blocks of one size, and a flush sends what is left", async () => {
  const sent: string[][] = [];
  const writer = writerInto(sent);
  await writer.write("abc");
  await writer.write(Buffer.from("defgh-"));
  expect(sent).toEqual([]);
  expect(await writer.flush()).toBe(1n);
  expect(await writer.flush()).toBeUndefined();
  expect(sent).toEqual([["abcd", "efgh", "-"]]);
});

test("a transaction is sent when it is full: of 94 blocks, or of its bytes", async () => {
  const sent: string[][] = [];
  await writerInto(sent).write("x".repeat(4 * 100));
  expect(sent.map(({ length }) => length)).toEqual([94]);
  const packs = [...new BlockPacker(983_040).add(new Uint8Array(4 * 983_040))];
  expect(packs.map(({ length }) => length)).toEqual([3]);
});

test("bytes that are changed after they were written are those that were written", async () => {
  const sent: string[][] = [];
  const writer = writerInto(sent);
  const bytes = Buffer.from("abcdef");
  await writer.write(bytes);
  bytes.fill("X");
  await writer.close();
  expect(sent).toEqual([["abcd", "ef"]]);
});

test("blocks that were sent are written into again, once nobody has them", async () => {
  const packer = new BlockPacker(4);
  const first = [...packer.add(Buffer.from("x".repeat(4 * 94)))].flat();
  const memories = new Set(first.map(({ buffer }) => buffer));
  expect(memories.size).toBe(94);
  packer.reuse(first);
  const next = [...packer.add(Buffer.from("y".repeat(4 * 94)))].flat();
  expect(new Set(next.map(({ buffer }) => buffer))).toEqual(memories);
  expect(Buffer.concat(next).toString()).toBe("y".repeat(4 * 94));
  // Not the memory of blocks of another length, nor more than one transaction takes.
  packer.reuse([new Uint8Array(5), ...next, ...next]);
  expect([...packer.add(Buffer.from("z".repeat(4 * 94)))].flat()).toHaveLength(94);
});

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

test("blocks on their way are not written into", async () => {
  const sent: string[] = [];
  const writer = new FileWriter(async (blocks) => {
    await turns(8);
    sent.push(Buffer.concat(blocks).toString());
    return 0n;
  }, 4);
  const texts = ["a", "b", "c", "d"].map((character) => character.repeat(4 * 94));
  const calls = texts.map(async (text, i) => {
    // Some come while others are on their way.
    await turns(2 * i);
    await writer.write(text);
  });
  await Promise.all(calls);
  await writer.close();
  expect(sent).toEqual(texts);
});

test("calls that are not waited for keep their order", async () => {
  const sent: string[][] = [];
  const writer = writerInto(sent);
  const calls = [writer.write("a"), writer.write("b"), writer.flush(), writer.write("c"), writer.close()];
  await Promise.all(calls);
  expect(sent).toEqual([["ab"], ["c"]]);
});

test("a writer that has failed stays failed, and says so when it is closed", async () => {
  const writer = writerInto([], 0);
  await writer.write("abc");
  await expect(writer.flush()).rejects.toThrow("not sent");
  await expect(writer.write("d")).rejects.toThrow("not sent");
  await expect(writer.close()).rejects.toThrow("not sent");
});

test("a closed writer takes nothing more, and may be closed again", async () => {
  const writer = writerInto([]);
  await writer.close();
  await writer.close();
  await expect(writer.write("x")).rejects.toMatchObject({ code: "file.closed" });
});

test("a record is in one block, and the block before stays shorter", async () => {
  const sent: string[][] = [];
  const writer = writerInto(sent);
  await writer.writeRecord("ab");
  expect(writer.remaining).toBe(2);
  await writer.writeRecord("cde");
  expect(writer.remaining).toBe(1);
  await writer.writeRecord(Buffer.from("f"));
  expect(writer.remaining).toBe(4);
  await writer.writeRecord("ghij");
  await writer.close();
  expect(sent).toEqual([["ab", "cdef", "ghij"]]);
});

test("records fill transactions of whole blocks", async () => {
  const sent: string[][] = [];
  const writer = writerInto(sent);
  for (let record = 0; record < 100; record++) await writer.writeRecord("abc");
  expect(sent).toEqual([Array.from({ length: 94 }, () => "abc")]);
});

test("a record that is larger than a block is refused, and nothing of it is written", async () => {
  const sent: string[][] = [];
  const writer = writerInto(sent);
  await expect(writer.writeRecord("abcde")).rejects.toMatchObject({ code: "file.block-too-large" });
  await expect(writer.close()).rejects.toMatchObject({ code: "file.block-too-large" });
  expect(sent).toEqual([]);
});
