import { spawnSync, type SpawnSyncReturns } from "node:child_process";
import { join } from "node:path";
import { createTables, openStorage, TableContext } from "@partita/core";
import { type TemporaryFolder, temporaryFolder } from "@partita/test-support/temporary-folder";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Post } from "./posts.ts";
import { main } from "../published.ts";

let folder: TemporaryFolder;
let target: string;
beforeAll(async () => {
  folder = await temporaryFolder();
  target = `file:${folder.file("posts.db")}`;
  await using storage = await openStorage(target);
  await createTables(storage, [Post]);
  await using context = new TableContext(storage);
  for (let day = 1; day <= 3; day++)
    context.create(Post, {
      channel: "Channel9",
      postedOn: new Date(Date.UTC(2024, 0, day)),
      title: `Day ${day}`,
      reads: 9_007_199_254_740_993n + BigInt(day),
    });
  await context.saveChanges();
});
afterAll(() => folder[Symbol.asyncDispose]());

function query(...args: readonly string[]): SpawnSyncReturns<string> {
  const module = join(import.meta.dirname, "posts.ts");
  return spawnSync(process.execPath, [main, "query", target, "Post", "--module", module, ...args], {
    encoding: "utf8",
  });
}

test("entities of a class are found by its properties, after the plan and its rating", () => {
  const where =
    '{"channel":"Channel9","postedOn":{"ge":"2024-01-02T00:00:00Z"},"reads":{"gt":"9007199254740994"}}';

  const { stdout, stderr, status } = query("--where", where, "--select", "title,reads,postedOn");

  expect(stderr).toMatch(/^Plan: row range scan \(good\)/);
  expect(
    stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual([
    { title: "Day 3", reads: "9007199254740996", postedOn: "2024-01-03T00:00:00.000Z" },
    { title: "Day 2", reads: "9007199254740995", postedOn: "2024-01-02T00:00:00.000Z" },
  ]);
  expect(status).toBe(0);
});

test("a scan is refused, and done with --scan", () => {
  const where = '{"title":{"startsWith":"Day"}}';

  const refused = query("--where", where);
  const allowed = query("--where", where, "--scan", "--top", "2");

  expect(refused.stderr).toMatch(/table scan[\s\S]*query\.scan-refused: .*--scan/);
  expect(refused.status).toBe(2);
  expect(allowed.stdout.trim().split("\n")).toHaveLength(2);
  expect(allowed.status).toBe(0);
});

test.each([
  ["{", 2, /--where takes JSON with conditions/],
  ['{"channel":{"like":"C"}}', 2, /--where takes JSON with conditions/],
  ['{"chanel":"Channel9"}', 1, /channel/],
  ['{"channel":"Channel9","postedOn":"yesterday-secret"}', 1, /postedOn/],
])("conditions %s are refused without their values", (where, code, message) => {
  const { stderr, stdout, status } = query("--where", where);

  expect(stderr).toMatch(message);
  expect(stderr).not.toContain("secret");
  expect(stderr).not.toMatch(/\n\s+at /);
  expect(stdout).toBe("");
  expect(status).toBe(code);
});
