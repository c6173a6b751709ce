import { openStorage, type TableStorage } from "@partita/core";
import { type ManualClock, manualClock } from "@partita/testing";
import { noise } from "@partita/test-support/noise";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Files, type FilesOptions, type NameRange, type StoredFile, tableFiles } from "../src/index.ts";

const day = 86_400_000;
const zones = { "/": { keepDeletedMs: day, keepReplacedMs: 10 * day }, "/plain": {} };

let storage: TableStorage;
let clock: ManualClock;
let options: FilesOptions;
let files: Files;
beforeEach(async () => {
  storage = await openStorage("memory:");
  clock = manualClock(Date.UTC(2026, 10, 27));
  options = { clock, name: "Docs", blockSize: 3, zones };
  files = tableFiles(storage, options);
});
afterEach(() => storage.close());

/** All that can be read of a file. */
async function contentOf(file: StoredFile): Promise<unknown> {
  const blocks: string[] = [];
  for await (const { id, bytes } of file.blocks()) blocks.push(`${id} ${Buffer.from(bytes).toString()}`);
  const head = await file.readHead();
  return {
    version: file.version,
    metadata: file.metadata,
    blocks,
    text: await file.text(),
    counts: [await file.blockCount(), await file.size()],
    head: head && `${head.id} ${Buffer.from(head.bytes).toString()}`,
  };
}

/** One change of a file, chosen by three random numbers. */
async function change(path: string, [kind = 0, id = 0, size = 0]: Uint8Array): Promise<void> {
  const file = await files.open(path);
  const text = String.fromCharCode(97 + (id % 26)).repeat(1 + (size % 4));
  if (file === undefined) return void (await files.create(path, { metadata: { made: id } }));
  switch (kind % 9) {
    case 0:
      return void (await files.write(path, text.repeat(4)));
    case 1:
    case 2:
      return void (await file.append(text));
    case 3:
    case 4:
      return void (await file.writeBlock(BigInt(id % 7), text));
    case 5:
      return void (await file.deleteBlock(BigInt(id % 7)));
    case 6:
      return void (await file.deleteHead());
    case 7:
      return (await file.leaseHead({ for: 1 }))?.done();
    default:
      return file.updateMetadata({ [`m${id % 3}`]: size % 2 === 0 ? null : size });
  }
}

test.each(Array.from({ length: 20 }, (_, seed) => seed))(
  "after any changes, a file is read as it was at each time (seed %d)",
  async (seed) => {
    const path = "/a";
    const before: { readonly at: Date; readonly content: unknown }[] = [];
    const random = noise(3 * 40, seed);
    for (let step = 0; step < 40; step++) {
      await change(path, random.subarray(3 * step));
      const file = (await files.open(path)) as StoredFile;
      before.push({ at: new Date(clock.now()), content: await contentOf(file) });
      // Some changes are made at the same time, and the last one is read.
      if ((random[3 * step] ?? 0) % 3 === 0) before.pop();
      else clock.advance(1 + (random[3 * step + 1] ?? 0));
    }
    for (const { at, content } of before) {
      const file = await files.at(path, at);
      expect(file && (await contentOf(file)), at.toISOString()).toEqual(content);
    }
  },
);

test("replaced blocks and metadata are reclaimed after the time of their zone", async () => {
  const file = await files.write("/a", "one", { metadata: { draft: true } });
  const start = new Date(clock.now());
  clock.advance(day);
  await file.writeBlock(0n, "two");
  await file.updateMetadata({ draft: null });
  clock.advance(10 * day - 1);
  await files.reclaim();
  expect(await (await files.at("/a", start))?.text()).toBe("one");
  expect((await files.at("/a", start))?.metadata).toEqual({ draft: true });
  clock.advance(1);
  expect(await files.reclaim()).toMatchObject({ reclaimed: 1, blocks: 1 });
  expect(await (await files.at("/a", start))?.text()).toBe("");
  expect(await file.text()).toBe("two");
  expect(await files.reclaim()).toMatchObject({ reclaimed: 0, blocks: 0 });
});

test.each(["text", "x".repeat(1000)])("nothing is left of a version that is reclaimed", async (text) => {
  const file = await files.write("/a", text);
  for (let i = 0; i < 120; i++) {
    clock.advance(1);
    await file.writeBlock(0n, String(i));
    await file.updateMetadata({ i });
  }
  await files.delete("/a");
  clock.advance(day);
  expect((await files.reclaim()).reclaimed).toBe(1);
  expect((await storage.query("DocsBlocks", {})).entities).toEqual([]);
  const keys = (await storage.query("DocsFiles", {})).entities.map(({ RowKey }) => RowKey);
  expect(keys).toEqual(["!", "head!.~a"]);
});

test("each property has the time when it was set", async () => {
  const timesOf = (file: StoredFile | undefined): Record<string, number> =>
    Object.fromEntries((file?.properties() ?? []).map(({ name, setAt }) => [name, setAt.getTime() - start]));
  const start = clock.now();
  const file = await files.write("/a", "text", { metadata: { author: "Ann", draft: true } });
  clock.advance(5);
  await file.updateMetadata({ pages: 2, draft: null });
  clock.advance(5);
  await file.updateMetadata({ pages: 3 });
  expect(timesOf(file)).toEqual({ author: 0, pages: 10 });
  expect(timesOf(await files.open("/a"))).toEqual({ author: 0, pages: 10 });
  expect(timesOf(await files.open("/a", { version: 1 }))).toEqual({ author: 0, pages: 10 });
  expect(timesOf(await files.at("/a", new Date(start + 5)))).toEqual({ author: 0, pages: 5 });
  expect(timesOf(await files.at("/a", new Date(start)))).toEqual({ author: 0, draft: 0 });
  expect(timesOf(await files.write("/a", "text"))).toEqual({});
});

test("properties of a range of names are read in their order", async () => {
  const file = await files.write("/a", "text", {
    metadata: { b: [2], "a.2": "x", "a.10": 1, a: null, é: true },
  });

  const namesIn = (range?: NameRange): string[] => file.properties(range).map(({ name }) => name);

  expect(namesIn()).toEqual(["a.10", "a.2", "b", "é"]);
  expect(namesIn({ from: "a.", to: "a/" })).toEqual(["a.10", "a.2"]);
  expect(namesIn({ from: "b" })).toEqual(["b", "é"]);
  expect(namesIn({ to: "a.2" })).toEqual(["a.10"]);
  expect(namesIn({ from: "c", to: "b" })).toEqual([]);
  expect(file.properties({ from: "b", to: "c" })).toEqual([
    { name: "b", value: [2], setAt: new Date(clock.now()) },
  ]);
});

test("a file of an earlier time is only read", async () => {
  await files.write("/a", "one");
  const file = (await files.at("/a", new Date(clock.now()))) as StoredFile;
  for (const call of [
    async () => file.append("x"),
    async () => file.writer(),
    async () => file.writeBlock(0n, "x"),
    async () => file.deleteHead(),
    async () => file.updateMetadata({ a: 1 }),
  ])
    await expect(call()).rejects.toMatchObject({ code: "file.read-only" });
});

test("without history, blocks that were appended later are left out, and replaced ones are new", async () => {
  const file = await files.write("/plain/a", "one");
  const start = new Date(clock.now());
  clock.advance(1);
  await file.append("two");
  await file.writeBlock(0n, "ONE");
  expect(await (await files.at("/plain/a", start))?.text()).toBe("ONE");
  expect(await file.text()).toBe("ONEtwo");
});

test("which zones have history is fixed, how long it is kept is not", async () => {
  await files.write("/a", "text");
  const other = (keepReplacedMs: number): Promise<unknown> =>
    tableFiles(storage, { ...options, zones: { ...zones, "/": { keepReplacedMs } } }).open("/a");
  await expect(other(0)).rejects.toMatchObject({ code: "file.layout" });
  expect(await other(1)).toBeDefined();
  const { zones: _, ...withoutZones } = options;
  const file = await tableFiles(storage, withoutZones).open("/a");
  clock.advance(1);
  await file?.writeBlock(0n, "new");
  expect(await (await files.at("/a", new Date(clock.now() - 1)))?.text()).toBe("text");
});

test("the longest path has all of it", async () => {
  const path = `/${"x".repeat(461)}`;
  const file = await files.write(path, "one", { metadata: { a: 1 } });
  clock.advance(1);
  await file.writeBlock(0n, "two");
  await file.updateMetadata({ a: 2 });
  const before = await files.at(path, new Date(clock.now() - 1));
  expect([await before?.text(), before?.metadata]).toEqual(["one", { a: 1 }]);
  await expect(files.open(`${path}x`)).rejects.toMatchObject({ code: "file.path" });
});
