import { spawnSync, type SpawnSyncReturns } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { openStorage } from "@partita/core";
import { folderOfEachTest } from "@partita/test-support/folder-of-each-test";
import { beforeEach, expect, test } from "vitest";
import { main } from "../published.ts";
import { run } from "../run.ts";

const inFolder = folderOfEachTest();
const path = (): string => inFolder("tables.db");

beforeEach(async () => {
  await using storage = await openStorage(`file:${path()}`);
  for (const table of ["Blogs", "Posts"]) {
    await storage.createTable(table);
    const rows = Array.from({ length: 90 }, (_, i) => ({
      PartitionKey: "c",
      RowKey: `r${i}`,
      n: i,
      text: `${i} `.repeat(8000),
    }));
    for (let i = 0; i < 90; i += 30)
      await storage.transact(
        table,
        rows.slice(i, i + 30).map((entity) => ({ type: "insert", entity })),
      );
  }
  await storage.deleteTable("Posts");
});

const compact = (...args: readonly string[]): SpawnSyncReturns<string> =>
  spawnSync(process.execPath, [main, "compact", ...args], { encoding: "utf8" });

test("it prints the sizes before and after, and ends with 0", async () => {
  const before = (await stat(path())).size;

  const { stdout, stderr, status } = compact(path());

  expect(stderr).toBe("");
  expect(stdout).toMatch(/tables\.db: [\d.]+ MiB before, [\d.]+ MiB now\.\n$/);
  expect(status).toBe(0);
  expect((await stat(path())).size).toBeLessThan(before);
});

test("while another program writes, it ends with 1 and a sentence", async () => {
  const writer = new DatabaseSync(path());
  writer.exec("BEGIN IMMEDIATE");
  const { stdout, stderr, status } = compact(path(), "--wait", "0");
  writer.close();

  expect(stdout).toBe("");
  expect(stderr).toMatch(
    /^storage\.server-busy: .*tables\.db is written by another program.*Nothing was changed/,
  );
  expect(status).toBe(1);
});

test("while another program reads old pages, it ends with 1 and says when the file gets smaller", () => {
  const reader = new DatabaseSync(path(), { readOnly: true });
  reader.exec("BEGIN; SELECT count(*) FROM rows1");
  const { stderr, status } = compact(path(), "--wait", "0");
  reader.close();

  expect(stderr).toMatch(/^Another program still reads old pages of .*tables\.db\./);
  expect(status).toBe(1);
});

test("it can be stopped while it waits, and the file stays the same", async () => {
  const before = await readFile(path());
  const writer = new DatabaseSync(path());
  writer.exec("BEGIN IMMEDIATE");
  const listeners = process.listenerCount("SIGINT");
  const running = run("compact", path());
  while (process.listenerCount("SIGINT") === listeners) await delay(5);
  process.emit("SIGINT");
  const stopped = await running;
  writer.close();

  expect(stopped).toEqual({ code: 130, out: "", errors: "Stopped. The file has all its rows." });
  expect(await readFile(path())).toEqual(before);
});

test("a file that is not there and another program's file are refused", () => {
  const none = compact(inFolder("none.db"));
  const other = new DatabaseSync(inFolder("other.db"));
  other.exec("CREATE TABLE mine (x)");
  other.close();
  const foreign = compact(inFolder("other.db"));

  expect([none.status, none.stderr]).toEqual([2, expect.stringMatching(/^There is no .*none\.db\.\n$/)]);
  expect([foreign.status, foreign.stderr]).toEqual([1, expect.stringMatching(/^storage\.not-a-database: /)]);
});
