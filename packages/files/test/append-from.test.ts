import { openStorage, type TableStorage } from "@partita/core";
import { countedStorage, countedUntil } from "@partita/test-support/death";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Files, type StoredFile, tableFiles } from "../src/index.ts";

let storage: TableStorage;
let files: Files;
let log: StoredFile;
let other: StoredFile;
beforeEach(async () => {
  storage = await openStorage("memory:");
  files = tableFiles(storage, { name: "Docs", blockSize: 2 });
  log = await files.create("/log");
  await log.append("log:");
  other = await files.write("/other", "aabbccd");
});
afterEach(() => storage.close());

/** 300 blocks, which take four transactions. */
const long = Array.from({ length: 300 }, (_, i) => String(i).padStart(3, "0"));

const longFile = async (): Promise<StoredFile> => {
  const file = await tableFiles(storage, { name: "Docs", blockSize: 3 }).write("/long", long.join(""));
  expect(await file.blockCount()).toBe(300);
  return file;
};

test("blocks are appended as they are", async () => {
  expect(await log.appendFrom(other)).toEqual({ blocks: 4, next: 4n });
  expect(await log.text()).toBe("log:aabbccd");
  expect(await log.blockCount()).toBe(5);
  expect(await log.append("e")).toBe(5n);
});

test("a range of blocks is appended, again as often as it is asked for", async () => {
  for (let i = 0; i < 2; i++)
    expect(await log.appendFrom(other, { blocks: { from: 1n, to: 3n } })).toEqual({ blocks: 2, next: 3n });
  expect(await log.text()).toBe("log:bbccbbcc");
  expect(await log.appendFrom(other, { blocks: { from: 7n } })).toEqual({ blocks: 0, next: 7n });
});

test("a file may be appended to itself, and from another file system", async () => {
  await log.appendFrom(log);
  await using foreign = await openStorage("memory:");
  await log.appendFrom(await tableFiles(foreign).write("/other", "foreign"));
  expect(await log.text()).toBe("log:log:foreign");
});

test.each([4, 5, 6].flatMap((request) => [false, true].map((isCarriedOut) => ({ request, isCarriedOut }))))(
  "if it is stopped at request $request, carried out: $isCarriedOut, it is resumed without a block twice",
  async (death) => {
    const source = await longFile();
    const stopped = countedStorage(
      storage,
      countedUntil(death, () => Promise.reject(new Error("stopped"))),
    );
    const own = (await tableFiles(stopped, { name: "Docs", blockSize: 2 }).open("/log")) as StoredFile;
    // The outcome of a transaction that was stopped is unknown.
    await expect(own.appendFrom(source, { resume: true })).rejects.toThrow(/stopped|unknown/);

    const progress: bigint[] = [];
    const onProgress = ({ next }: { readonly next: bigint }): void => void progress.push(next);
    await log.appendFrom(source, { resume: true, onProgress });
    expect(progress.at(-1)).toBe(300n);
    expect(await log.text()).toBe(`log:${long.join("")}`);
    // And what comes later.
    await source.append("300");
    expect(await log.appendFrom(source, { resume: true })).toEqual({ blocks: 1, next: 301n });
  },
);

test("of two programs that resume the same call, one is told of the other, and no block comes twice", async () => {
  const source = await longFile();
  const rivals = (await Promise.all([files.open("/log"), files.open("/log")])) as StoredFile[];
  const results = await Promise.allSettled(rivals.map((own) => own.appendFrom(source, { resume: true })));
  for (const result of results)
    expect(result).toMatchObject(result.status === "fulfilled" ? {} : { reason: { code: "file.contended" } });
  await log.appendFrom(source, { resume: true });
  expect(await log.text()).toBe(`log:${long.join("")}`);
});

test("what cannot be appended from is refused", async () => {
  for (const options of [{ from: 1n }, { blocks: { first: 1n } }, { blocks: { from: 1 } }, { resume: 1 }])
    await expect(log.appendFrom(other, options as never)).rejects.toMatchObject({ code: "file.option" });
  await expect(log.appendFrom(undefined as never)).rejects.toMatchObject({ code: "file.option" });
  await expect(log.appendFrom(other, { blocks: { from: 2n, to: 1n } })).rejects.toMatchObject({
    code: "file.block-id",
  });
  await files.delete("/log");
  await expect(log.appendFrom(other)).rejects.toMatchObject({ code: "file.closed" });
});
