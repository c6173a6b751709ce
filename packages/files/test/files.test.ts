import { openStorage, type TableStorage } from "@partita/core";
import { type ManualClock, manualClock } from "@partita/testing";
import { isOverPostgres } from "@partita/test-support/postgres";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Files, tableFiles } from "../src/index.ts";

let storage: TableStorage;
let files: Files;
let clock: ManualClock;
beforeEach(async () => {
  storage = await openStorage("memory:");
  clock = manualClock(Date.UTC(2026, 10, 23));
  files = tableFiles(storage, {
    clock,
    name: "Docs",
    blockSize: 8,
    zones: { "/scratch": { keepDeletedMs: 0 } },
  });
});
afterEach(() => storage.close());

const pathsOf = async (list: ReturnType<Files["list"]>): Promise<string[]> => {
  const paths: string[] = [];
  for await (const { path } of list) paths.push(path);
  return paths;
};

test.each([
  ["utf-8", "utf8"],
  ["utf-16le", "utf16le"],
] as const)(
  "a text in %s that begins with a byte order mark is read as it was written",
  async (encoding, bytes) => {
    const text = "\uFEFFname,größe\n\uFEFF";
    const file = await files.create("/list.csv");
    await file.append(Buffer.from(text, bytes));

    expect(await file.text(encoding)).toBe(text);
    expect(Buffer.from(await file.bytes()).equals(Buffer.from(text, bytes))).toBe(true);
  },
);

test("a file that is created can be appended to, and read by those who open it", async () => {
  const file = await files.create("/logs/app", { contentType: "text/plain" });
  expect(await file.append("one ")).toBe(0n);
  expect(await file.append("two")).toBe(1n);
  const opened = await files.open("/logs/app");
  expect(opened?.info).toMatchObject({
    version: 1,
    state: "current",
    contentType: "text/plain",
    metadata: {},
  });
  expect(await opened?.text()).toBe("one two");
  expect(await opened?.blockCount()).toBe(2);
  expect(await opened?.size()).toBe(7);
});

test("a file that is written whole has blocks of the size that was asked for", async () => {
  const file = await files.write("/a.txt", "0123456789abcdefXYZ");
  const blocks = [];
  for await (const { id, bytes } of file.blocks()) blocks.push([id, Buffer.from(bytes).toString()]);
  expect(blocks).toEqual([
    [0n, "01234567"],
    [1n, "89abcdef"],
    [2n, "XYZ"],
  ]);
});

test("nothing is there before the first file", async () => {
  expect(await files.open("/a")).toBeUndefined();
  expect(await files.versions("/a")).toEqual([]);
  expect(await pathsOf(files.list())).toEqual([]);
  expect(await files.delete("/a")).toBe(false);
  expect(await files.reclaim()).toEqual({ inspected: 0, reclaimed: 0, blocks: 0 });
  expect(await storage.listTables()).toEqual([]);
});

test("paths are listed in their order, over all zones", async () => {
  for (const path of ["/z", "/scratch/b", "/scratch-1", "/a/b", "/a", "/scratch"]) await files.create(path);
  expect(await pathsOf(files.list())).toEqual(["/a", "/a/b", "/scratch", "/scratch-1", "/scratch/b", "/z"]);
  expect(await pathsOf(files.list({ from: "/scratch", to: "/scratch/" }))).toEqual([
    "/scratch",
    "/scratch-1",
  ]);
  expect(await files.deleteAll("/scratch", "/scratch0")).toBe(3);
  expect(await pathsOf(files.list())).toEqual(["/a", "/a/b", "/z"]);
});

test("a path that is written anew has another version, and the one before takes no more blocks", async () => {
  const first = await files.write("/a", "first");
  const second = await files.write("/a", "second");
  expect(second.version).toBe(2);
  expect(await (await files.open("/a"))?.text()).toBe("second");
  expect(await (await files.open("/a", { version: 1 }))?.text()).toBe("first");
  await expect(first.append("more")).rejects.toMatchObject({ code: "file.closed" });
  expect((await files.versions("/a")).map(({ version, state }) => [version, state])).toEqual([
    [2, "current"],
    [1, "deleted"],
  ]);
});

test("what was deleted is reclaimed, and no version has a number twice", async () => {
  const file = await files.write("/scratch/a", "some bytes");
  await files.delete("/scratch/a");
  expect(await file.text()).toBe("some bytes");
  // A request of its creation might still arrive.
  expect(await files.reclaim()).toEqual({ inspected: 1, reclaimed: 0, blocks: 0 });
  clock.advance(120_000);
  expect(await files.reclaim()).toEqual({ inspected: 1, reclaimed: 1, blocks: 2 });
  await expect(file.text()).rejects.toMatchObject({ code: "file.reclaimed" });
  expect((await files.create("/scratch/a")).version).toBe(2);
});

test("a version that is still being written cannot be opened", async () => {
  const parts = async function* (): AsyncGenerator<string> {
    // More than fits one transaction.
    yield "0123456789".repeat(200);
    expect((await files.versions("/a")).map(({ state }) => state)).toEqual(["writing"]);
    expect(await files.open("/a")).toBeUndefined();
    expect(await files.open("/a", { version: 1 })).toBeUndefined();
    expect(await files.at("/a", new Date())).toBeUndefined();
  };
  expect((await files.write("/a", parts())).version).toBe(1);
  expect(await (await files.open("/a", { version: 1 }))?.text()).toBe("0123456789".repeat(200));
});

test("a file serves as a queue", async () => {
  const file = await files.create("/queue");
  for (const text of ["a", "b", "c"]) await file.append(text);
  const head = await file.readHead();
  expect(head?.id).toBe(0n);
  expect((await file.deleteHead({ expecting: 0n }))?.id).toBe(0n);
  await expect(file.deleteHead({ expecting: 0n })).rejects.toMatchObject({ code: "file.head-moved" });
  expect((await file.deleteHead())?.id).toBe(1n);
  expect(await file.append("d")).toBe(3n);
  expect(await file.text()).toBe("cd");
});

test("a file is moved with its metadata", async () => {
  const file = await files.write("/a", "0123456789", { metadata: { author: "Ann", draft: true } });
  await file.updateMetadata({ draft: null, pages: 2 });
  const moved = await files.move("/a", "/scratch/b");
  expect(moved.metadata).toEqual({ author: "Ann", pages: 2 });
  expect(await moved.text()).toBe("0123456789");
  expect(await files.open("/a")).toBeUndefined();
});

test("buckets spread the names of a zone, and list them in one order", async () => {
  const spread = tableFiles(storage, { name: "Spread", buckets: 4 });
  const paths = Array.from({ length: 20 }, (_, i) => `/file-${String(i).padStart(2, "0")}`);
  for (const path of paths) await spread.create(path);
  expect(await pathsOf(spread.list())).toEqual(paths);
  expect(await pathsOf(tableFiles(storage, { name: "Spread" }).list({ from: "/file-18" }))).toEqual(
    paths.slice(18),
  );
});

test.each([
  { buckets: 3 },
  { buckets: 512 },
  { blockSize: 983_041 },
  { name: "a b" },
  { zones: { "/a": { keep: 1 } } },
])("%o is refused before anything is stored", async (options) => {
  expect(() => tableFiles(storage, options as never)).toThrow(
    expect.objectContaining({ code: "file.option" }),
  );
});

const large = Uint8Array.from({ length: 700_000 }, (_, i) => (i * 7) ^ (i >> 9));

test.skipIf(isOverPostgres)(
  "the parts of a stream are blocks, and may be given away one by one",
  async () => {
    files = tableFiles(storage, { name: "Large", blockSize: 150_000 });
    const file = await files.write("/large", large);
    for (const round of ["parsed", "scanned"]) {
      const read: Uint8Array[] = [];
      for await (const part of file.stream()) {
        read.push(Uint8Array.from(part));
        // As a program does that sends it to a worker.
        structuredClone(part.buffer, { transfer: [part.buffer as ArrayBuffer] });
      }
      expect(Buffer.compare(Buffer.concat(read), large), round).toBe(0);
    }
    const lengths = [];
    for await (const { byteLength } of file.stream()) lengths.push(byteLength);
    expect(lengths.filter((length) => length === 150_000)).toHaveLength(4);
  },
);

test.each([1, 100, 5000, 20_000, 70_000, 150_000])(
  "the bytes of a block have their memory to themselves, of %d",
  async (size) => {
    files = tableFiles(storage, { name: "Large", blockSize: size });
    const content = large.subarray(0, Math.min(large.length, 90 * size));
    const file = await files.write("/large", content);
    for (let round = 0; round < 4; round++)
      for await (const { id, bytes } of file.blocks()) {
        expect(bytes.buffer.byteLength).toBe(bytes.byteLength);
        const from = Number(id) * size;
        expect(Buffer.compare(bytes, content.subarray(from, from + size))).toBe(0);
      }
    const whole = await file.bytes();
    expect(whole.buffer.byteLength).toBe(content.length);
    expect((await file.readBlock(0n))?.buffer.byteLength).toBe(size);
  },
);

test("what is appended or written as a block may be changed once the call has begun", async () => {
  files = tableFiles(storage, { name: "Large", blockSize: 8 });
  const file = await files.create("/log");
  const bytes = large.slice(0, 10_000);
  const calls = [file.append(bytes), file.writeBlock(7n, bytes)];
  bytes.fill(0);
  const [appended] = await Promise.all(calls);
  for (const id of [appended as bigint, 7n])
    expect(Buffer.compare((await file.readBlock(id)) as Uint8Array, large.subarray(0, 10_000))).toBe(0);
});

test.each([1000, 8192, 150_000, 400_000])(
  "a stream is read into memory of the reader's own, of %d bytes",
  async (size) => {
    files = tableFiles(storage, { name: "Large", blockSize: 150_000 });
    const file = await files.write("/large", large);
    const reader = file.stream().getReader({ mode: "byob" });
    const read: Buffer[] = [];
    for (let memory = new Uint8Array(size); ;) {
      const { value, done } = await reader.read(memory);
      if (done) break;
      expect(value.byteLength).toBeGreaterThan(0);
      read.push(Buffer.from(value));
      memory = new Uint8Array(value.buffer);
      expect(memory.byteLength).toBe(size);
    }
    expect(Buffer.compare(Buffer.concat(read), large)).toBe(0);
  },
);

test("a reader's memory may be filled by parts of several blocks", async () => {
  const file = await files.write("/a.txt", "0123456789abcdefXYZ");
  const reader = file.stream().getReader({ mode: "byob" });
  const { value } = await reader.read(new Uint8Array(11), { min: 11 } as never);
  expect(Buffer.from(value as Uint8Array).toString()).toBe("0123456789a");
  const rest = await reader.read(new Uint8Array(100), { min: 100 } as never);
  expect(Buffer.from(rest.value as Uint8Array).toString()).toBe("bcdefXYZ");
});

test("a stream that is left ends its reading; one that fails says why to either reader", async () => {
  const file = await files.write("/a.txt", "0123456789abcdefXYZ");
  const reader = file.stream().getReader({ mode: "byob" });
  await reader.read(new Uint8Array(3));
  await reader.cancel();
  expect(await reader.read(new Uint8Array(3))).toMatchObject({ done: true });

  await files.delete("/a.txt");
  clock.advance(30 * 24 * 3_600_000);
  await files.reclaim();
  const failing = file.stream().getReader({ mode: "byob" });
  await expect(failing.read(new Uint8Array(3))).rejects.toMatchObject({ code: "file.reclaimed" });
  await expect(file.stream().getReader().read()).rejects.toMatchObject({ code: "file.reclaimed" });
});

test("bytes that are written whole may be changed once the call has begun", async () => {
  files = tableFiles(storage, { name: "Large", blockSize: 100_000 });
  const bytes = Uint8Array.from({ length: 4_000_000 }, (_, i) => i);
  const whole = Uint8Array.from(bytes);
  const file = await files.write("/large", bytes, { onProgress: () => void bytes.fill(0) });
  expect(Buffer.compare(await file.bytes(), whole)).toBe(0);
});

test("a follower that waits can be left", async () => {
  files = tableFiles(storage, { name: "Docs", blockSize: 8 });
  const log = await files.create("/log");
  await log.append("one");
  for (const mode of ["byob", undefined] as const) {
    const stream = log.stream({ follow: true, pollMs: 3_600_000 });
    const reader = mode === "byob" ? stream.getReader({ mode }) : stream.getReader();
    const read = (): Promise<unknown> =>
      reader instanceof ReadableStreamBYOBReader
        ? reader.read(new Uint8Array(8))
        : (reader as ReadableStreamDefaultReader).read();
    await read();
    const waiting = read();
    await reader.cancel();
    expect(await waiting).toMatchObject({ done: true });
  }
});
