import { openStorage, TableContext, type TableStorage } from "@partita/core";
import { forwardStorage } from "@partita/core/internal";
import { countRequests } from "@partita/test-support/count-requests";
import { manualClock } from "@partita/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { maxBlock } from "../src/blocks/block.ts";
import { stateId } from "../src/rows/row-id.ts";
import { rowsOf } from "../src/rows/rows.ts";
import { type Files, tableFiles, type StoredFile } from "../src/index.ts";

const { small: SmallRow, own: OwnRow } = rowsOf("Docs");
const secret = "content of a file";

let storage: TableStorage;
let files: Files;
let file: StoredFile;
const clock = manualClock(Date.UTC(2026, 10, 23));
beforeEach(async () => {
  storage = await openStorage("memory:");
  files = tableFiles(storage, { clock, name: "Docs", blockSize: 4, zones: { "/": { keepDeletedMs: 0 } } });
  file = await files.write("/a", secret, { metadata: { author: secret } });
});
afterEach(() => storage.close());

/** The error of a call, which says what it is about, and nothing that is in a file. */
async function errorOf(call: Promise<unknown> | (() => unknown)): Promise<{ code: string; message: string }> {
  const error: unknown = await (async () => (typeof call === "function" ? await call() : await call))().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(Error);
  const { code, message } = error as { code: string; message: string };
  expect(message).not.toContain(secret);
  return { code, message };
}

const reclaim = async (): Promise<void> => {
  clock.advance(120_000);
  await files.reclaim();
};

test.each([
  ["", "does not start with /"],
  ["a", "does not start with /"],
  ["/", "ends with /"],
  ["/a/", "ends with /"],
  ["//a", "two / in a row"],
  ["/../etc/passwd", "the segment . or .."],
  ["/a/./b", "the segment . or .."],
  ["/\ud800", "half of a surrogate pair"],
  [`/${"x".repeat(500)}`, "too long: as a key it has 502 characters, more than 463"],
  [7, "not number"],
  [null, "not null"],
])("the path %j is refused", async (path, why) => {
  for (const call of ["create", "open", "delete", "versions"] as const)
    expect((await errorOf(files[call](path as string))).message).toContain(why);
  expect((await errorOf(files.write(path as string, "x"))).code).toBe("file.path");
  expect((await errorOf(files.copy("/a", path as string))).code).toBe("file.path");
});

test("hostile names are names", async () => {
  const names = [
    "/__proto__",
    "/constructor",
    "/a\u0000b",
    "/C:\\x",
    "/<b>",
    "/'\"#?%2F",
    "/😀",
    "/ ",
    "/~o~1",
    "/!",
  ];
  for (const name of names) await files.write(name, name);
  for (const name of names) expect(await (await files.open(name))?.text()).toBe(name);
});

test("a block that is too large is refused before anything is sent", async () => {
  const { code, message } = await errorOf(file.append(new Uint8Array(983_041)));
  expect(code).toBe("file.block-too-large");
  expect(message).toContain("983040");
  expect(await errorOf(file.writeBlock(0n, new Uint8Array(983_041)))).toMatchObject({ code });
  expect(await file.append(new Uint8Array(983_040))).toBe(5n);
});

test.each([[-1n], [maxBlock + 1n], [1 as never], ["1" as never]])(
  "the block id %s is refused",
  async (id) => {
    for (const call of ["readBlock", "deleteBlock"] as const)
      expect((await errorOf(file[call](id))).code).toBe("file.block-id");
    expect((await errorOf(file.writeBlock(id, "x"))).code).toBe("file.block-id");
  },
);

test("a range that ends before it begins is refused", async () => {
  expect((await errorOf(() => file.stream({ from: 2n, to: 1n }))).code).toBe("file.block-id");
});

test("content that is neither text nor bytes is refused, also in the middle of a stream", async () => {
  expect((await errorOf(files.write("/b", 7 as never))).code).toBe("file.content");
  expect((await errorOf(file.append({} as never))).code).toBe("file.content");
  const parts = async function* (): AsyncGenerator<never> {
    yield "some" as never;
    yield { secret } as never;
  };
  expect((await errorOf(files.write("/a", parts()))).code).toBe("file.content");
  expect(await (await files.open("/a"))?.text()).toBe(secret);
});

test("metadata are an object", async () => {
  expect((await errorOf(files.create("/b", { metadata: [] as never }))).code).toBe("file.metadata");
  expect((await errorOf(file.updateMetadata("x" as never))).code).toBe("file.metadata");
  for (const range of ["x", null, { from: 1 }, { to: null }])
    expect((await errorOf(async () => file.properties(range as never))).code).toBe("file.metadata");
});

test("a deleted file, and one that was written anew, take no more blocks", async () => {
  await files.write("/a", "newer");
  for (const call of [() => file.append("x"), () => file.writeBlock(0n, "x")]) {
    const { code, message } = await errorOf(call);
    expect(code).toBe("file.closed");
    expect(message).toMatch(/Version 1 of "\/a" .* Open the path again/);
  }
});

test("what is not there is missing", async () => {
  expect((await errorOf(files.copy("/b", "/c"))).code).toBe("file.missing");
  expect((await errorOf(files.move("/b", "/c"))).code).toBe("file.missing");
  expect(await files.delete("/b")).toBe(false);
  expect(await files.open("/a", { version: 7 })).toBeUndefined();
  expect((await errorOf(files.open("/a", { version: 0 }))).code).toBe("file.option");
  expect((await errorOf(files.open("/a", { version: 2 ** 31 }))).code).toBe("file.version");
  expect((await errorOf(files.at("/a", new Date(Number.NaN)))).code).toBe("file.version");
});

test("a version that is reclaimed under its reader ends with an error, not as if it were whole", async () => {
  file = await files.write("/a", secret.repeat(30));
  const reader = file.blocks();
  expect((await reader.next()).value?.id).toBe(0n);
  await files.delete("/a");
  await reclaim();
  const { code, message } = await errorOf(async () => {
    for await (const _ of reader);
  });
  expect(code).toBe("file.reclaimed");
  expect(message).toContain("keepDeletedMs");
  expect((await errorOf(file.append("x"))).code).toBe("file.reclaimed");
  expect((await errorOf(file.updateMetadata({ a: 1 }))).code).toBe("file.missing");
});

test("a damaged block is found by its checksum, named, and can be deleted", async () => {
  const context = new TableContext(storage);
  const row = await context.find(SmallRow, { path: "/a", version: 1, id: 1n });
  if (row !== undefined) row.b0 = Buffer.from("XXXX");
  await context.saveChanges();
  for (const call of [() => file.text(), () => file.readBlock(1n)]) {
    const { code, message } = await errorOf(call);
    expect(code).toBe("file.damaged");
    expect(message).toMatch(/^Block 1 of version 1 of "\/a" .*deleteBlock\(1n\)/);
  }
  if (row !== undefined) row.b0 = Buffer.from("X");
  await context.saveChanges();
  expect((await errorOf(file.readBlock(1n))).message).toContain("1 bytes of 4");
  await file.deleteBlock(0n);
  expect((await errorOf(file.deleteHead())).code).toBe("file.damaged");
  await file.deleteBlock(1n);
  expect((await file.deleteHead())?.id).toBe(2n);
});

test("a damaged block of several pieces is found, whichever of them it is, also where its row is whole", async () => {
  const large = await files.create("/large");
  await large.append(new Uint8Array(150_000).fill(7));
  const pieces = ["b0", "b1", "b2"] as const;
  for (const name of pieces) {
    const context = new TableContext(storage);
    const key = { path: "/large", version: 1, id: 0n };
    const row = (await context.find(OwnRow, key)) as InstanceType<typeof OwnRow>;
    const before = row[name] as Uint8Array;
    const after = Uint8Array.from(before);
    after[100] = 8;
    row[name] = after;
    await context.saveChanges({ update: "replace" });
    for (const call of [() => large.bytes(), () => large.readBlock(0n)])
      expect((await errorOf(call)).code).toBe("file.damaged");
    row[name] = before;
    await context.saveChanges({ update: "replace" });
    expect((await large.bytes()).byteLength).toBe(150_000);
  }
});

test("a version that has had its last block is full", async () => {
  const context = new TableContext(storage);
  const state = await context.find(SmallRow, { path: "/a", version: 1, id: stateId });
  if (state !== undefined) state.next = maxBlock;
  await context.saveChanges();
  expect(await file.append("last")).toBe(maxBlock);
  const { code, message } = await errorOf(file.append("x"));
  expect(code).toBe("file.full");
  expect(message).toContain("Copy the file");
});

test("a file system that is opened with other zones or buckets is refused, whichever call is first", async () => {
  for (const options of [{ zones: { "/other": {} } }, { buckets: 2 }]) {
    const other = tableFiles(storage, { name: "Docs", ...options });
    expect((await errorOf(other.open("/a"))).code).toBe("file.layout");
    expect((await errorOf(other.create("/b"))).code).toBe("file.layout");
    expect((await errorOf(other.reclaim())).code).toBe("file.layout");
  }
  expect(await (await tableFiles(storage, { name: "Docs" }).open("/a"))?.text()).toBe(secret);
});

test("wrong options are refused by name", async () => {
  const calls: readonly (() => unknown)[] = [
    () => tableFiles(storage, { blocksize: 1 } as never),
    () => files.create("/b", { ContentType: "x" } as never),
    () => files.write("/b", "x", { onProgress: 1 } as never),
    () => files.list({ prefix: "x" } as never).next(),
    () => files.reclaim({ concurrency: 0 }),
    () => file.stream({ follow: 1 } as never),
    () => file.deleteHead({ expecting: 1 as never }),
    () => file.splits(0),
    () => file.text("no-such-encoding"),
  ];
  for (const call of calls) expect((await errorOf(call)).code).toBe("file.option");
});

test("a call with an aborted signal ends, and changes nothing", async () => {
  const signal = AbortSignal.abort();
  expect((await errorOf(file.append("x", { signal }))).code).toBe("storage.cancelled");
  expect((await errorOf(files.write("/a", "x", { signal }))).code).toBe("storage.cancelled");
  expect(await (await files.open("/a"))?.text()).toBe(secret);
});

test("what a writer is given is checked, and a character may come in two parts", async () => {
  const blockCount = await file.blockCount();
  const writer = file.writer();
  for (const wrong of [42, {}, new Uint16Array(4), null])
    expect((await errorOf(() => writer.write(wrong as never))).code).toBe("file.content");
  await writer.write("\ud83d");
  await writer.write("\ude00");
  await writer.close();
  expect(await file.blockCount()).toBe(blockCount + 1);
  expect(await file.text()).toBe(`${secret}😀`);
  const half = file.writer();
  await half.write("\ud83d");
  expect((await errorOf(half.flush())).code).toBe("file.content");
  const parted = file.writer();
  await parted.write("\ud83d");
  await parted.write(new Uint8Array());
  expect((await errorOf(parted.write(Buffer.from("between")))).code).toBe("file.content");
  expect((await errorOf(file.append("\ud83d"))).code).toBe("file.content");
});

test("a program that names no zones does not reclaim by policies that it does not know", async () => {
  await files.delete("/a");
  clock.advance(30 * 86_400_000);
  const { code, message } = await errorOf(tableFiles(storage, { clock, name: "Docs" }).reclaim());
  expect(code).toBe("file.layout");
  expect(message).toContain('{ zones: {"/":{}} }');
});

test("a reclaimed version does not look empty", async () => {
  await files.delete("/a");
  await reclaim();
  const calls = [
    () => file.size(),
    () => file.blockCount(),
    () => file.readBlock(0n),
    () => file.readHead(),
    () => file.deleteHead(),
  ];
  for (const call of calls) expect((await errorOf(call)).code).toBe("file.reclaimed");
});

test("metadata that change while a file is moved are not lost, and the file takes blocks again", async () => {
  const parts = forwardStorage(storage, {
    transact: async (table, operations, options) => {
      const results = await storage.transact(table, operations, options);
      // The copy's first blocks are stored: somebody changes the metadata of the source.
      if (operations.length > 2) await file.updateMetadata({ late: 1 });
      return results;
    },
  });
  const mover = tableFiles(parts, { clock, name: "Docs", blockSize: 4 });
  expect((await errorOf(mover.move("/a", "/b"))).code).toBe("file.contended");
  const source = await files.open("/a");
  expect(source?.metadata["late"]).toBe(1);
  await source?.append("more");
});

test("a file system that is only read refuses each change before anything is sent", async () => {
  await files.write("/b", "text");
  const requests = countRequests(storage);
  const reader = tableFiles(requests.storage, { clock, name: "Docs", readOnly: true, zones: { "/": {} } });
  const own = (await reader.open("/a")) as StoredFile;
  expect(await own.text()).toBe(secret);
  const calls: readonly (() => unknown)[] = [
    () => reader.create("/c"),
    () => reader.write("/c", "x"),
    () => reader.copy("/a", "/c"),
    () => reader.move("/a", "/c"),
    () => reader.delete("/a"),
    () => reader.deleteAll("/", "0"),
    () => reader.reclaim(),
    () => own.append("x"),
    () => own.writer(),
    () => own.writable(),
    () => own.writeBlock(0n, "x"),
    () => own.deleteBlock(0n),
    () => own.deleteHead(),
    () => own.leaseHead({ for: 1 }),
    () => own.appendFrom(file),
    () => own.updateMetadata({ a: 1 }),
  ];
  const sent = await requests.during(async () => {
    for (const call of calls) expect((await errorOf(call)).code).toBe("file.read-only");
  });
  expect(sent).toBe(0);
  expect(await pathsOf(reader)).toEqual(["/a", "/b"]);
  const none = tableFiles(storage, { name: "None", readOnly: true });
  expect((await errorOf(none.create("/a"))).code).toBe("file.read-only");
});

const pathsOf = async (reader: Files): Promise<string[]> => {
  const paths: string[] = [];
  for await (const { path } of reader.list()) paths.push(path);
  return paths;
};
