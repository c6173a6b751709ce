import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { openStorage } from "@partita/core";
import { folderOfEachTest } from "@partita/test-support/folder-of-each-test";
import { expect, test } from "vitest";
import { compactDatabase, type CompactOptions, verifyDatabase } from "../../src/index.ts";
import { vacuum } from "../../src/database/vacuum-process.ts";
import { fillAndHalve } from "./half-empty.ts";

const inFolder = folderOfEachTest();
const path = (): string => inFolder("things.db");
const compact = (options?: CompactOptions) => compactDatabase(`file:${path()}`, options);

test("a file of which half the rows were deleted gets half as large, and keeps the others", async () => {
  await fillAndHalve(path(), 2000);
  const before = await stat(path());
  const steps: string[] = [];

  const report = await compact({ onProgress: ({ step }) => steps.push(step) });

  const after = await stat(path());
  expect(report).toEqual({ bytesBefore: before.size, bytesAfter: after.size, isComplete: true });
  expect(after.size / before.size).toBeCloseTo(0.5, 1);
  expect(steps).toEqual(["waiting-for-writers", "rewriting", "waiting-for-readers"]);
  expect(await verifyDatabase(`file:${path()}`)).toMatchObject({
    isClean: true,
    tables: [{ table: "Things", rows: 1000 }],
  });
  expect((await readdir(inFolder())).filter((name) => !name.startsWith("things.db"))).toEqual([]);
});

test("a program that has the file open reads and writes afterwards", async () => {
  await fillAndHalve(path(), 1000);
  await using storage = await openStorage(`file:${path()}`);
  const key = { partitionKey: "old", rowKey: "00000001" };
  expect(await storage.get("Things", key)).toBeDefined();

  await compact();
  const entity = { PartitionKey: "new", RowKey: "1" };
  const [row] = await Promise.all([
    storage.get("Things", key),
    storage.write("Things", { type: "insert", entity }),
    storage.createTable("More"),
  ]);

  expect(row).toMatchObject({ RowKey: "00000001" });
  expect(await storage.get("Things", { partitionKey: "new", rowKey: "1" })).toMatchObject(entity);
});

test("while another program writes, it waits, and then says so", async () => {
  await fillAndHalve(path(), 200);
  const before = await readFile(path());
  const writer = new DatabaseSync(path());
  writer.exec("BEGIN IMMEDIATE");

  await expect(compact({ busyTimeoutMs: 50 })).rejects.toMatchObject({
    code: "storage.server-busy",
    applied: "no",
    message: expect.stringContaining("Nothing was changed") as string,
  });
  expect(await readFile(path())).toEqual(before);
  const compaction = compact({ onProgress: ({ step }) => step === "waiting-for-writers" && release() });
  const release = () => void setTimeout(() => writer.exec("ROLLBACK"), 50);
  expect(await compaction).toMatchObject({ isComplete: true });
  writer.close();
});

test("a program that still reads old pages keeps the file from getting smaller, but no row is lost", async () => {
  await fillAndHalve(path(), 500);
  const { size } = await stat(path());
  const reader = new DatabaseSync(path(), { readOnly: true });
  reader.exec("BEGIN; SELECT count(*) FROM rows1");

  expect(await compact({ busyTimeoutMs: 50 })).toMatchObject({ isComplete: false, bytesBefore: size });
  expect(reader.prepare("SELECT count(*) AS n FROM rows1").get()).toEqual({ n: 250 });
  reader.close();
  const { bytesAfter } = await compact();
  expect(bytesAfter).toBeLessThan(size);
});

test.each(["waiting-for-writers", "rewriting"] as const)("it can be cancelled while it is %s", async (at) => {
  await fillAndHalve(path(), 500);
  const writer = new DatabaseSync(path());
  if (at === "waiting-for-writers") writer.exec("BEGIN IMMEDIATE");
  const stop = new AbortController();

  const compaction = compact({
    signal: stop.signal,
    onProgress: ({ step }) => step === at && stop.abort(),
  });

  await expect(compaction).rejects.toMatchObject({ code: "storage.cancelled" });
  await expect(compact({ signal: stop.signal })).rejects.toMatchObject({ code: "storage.cancelled" });
  writer.close();
  expect(await verifyDatabase(`file:${path()}`)).toMatchObject({ isClean: true });
});

// A file system without files has no free space.
test.runIf(process.platform === "linux")(
  "a disk with too little space is known before the work",
  async () => {
    await fillAndHalve(path(), 200);
    const options = { folder: "/proc", busyTimeoutMs: 1000, signal: undefined, onStep: () => undefined };

    const [result, needed, free] = (await vacuum(path(), options)) as [string, number, number];

    expect([result, free]).toEqual(["no-space", 0]);
    expect(needed).toBeGreaterThan(200 * 1000);
  },
);

test("other files, wrong options and damage are refused, and nothing is changed", async () => {
  await writeFile(inFolder("text.db"), "a letter\n".repeat(1000));
  const codeOf = (target: string, options?: object): Promise<string> =>
    compactDatabase(target, options).then(
      () => "none",
      ({ code }: { code: string }) => code,
    );

  expect(await codeOf(`file:${inFolder("text.db")}`)).toBe("storage.not-a-database");
  expect(await codeOf(`file:${inFolder("none.db")}`)).toBe("storage.cannot-open");
  expect(await codeOf("memory:")).toBe("storage.unknown-target");
  expect(await codeOf(`file:${path()}`, { busyTimeoutMs: -1 })).toBe("storage.option");
  await fillAndHalve(path(), 500);
  const damaged = await readFile(path());
  damaged.fill(0xa5, 8192, 100 * 1024);
  await writeFile(path(), damaged);
  expect(await codeOf(`file:${path()}`)).toBe("storage.damaged");
  expect(await readFile(path())).toEqual(damaged);
});
