import { openStorage } from "@partita/core";
import { folderOfEachTest } from "@partita/test-support/folder-of-each-test";
import { beforeEach, expect, test } from "vitest";
import { run } from "../run.ts";

const inFolder = folderOfEachTest();
const target = (): string => `file:${inFolder("blogs.db")}`;

beforeEach(async () => {
  await using storage = await openStorage(target());
  await storage.createTable("Blogs");
  await storage.createTable("Empty");
  for (const [partition, rows] of [
    ["a", 2],
    ["b\u202e", 40],
    ["c", 18],
  ] as const)
    await storage.transact(
      "Blogs",
      Array.from({ length: rows }, (_, i) => ({
        type: "insert",
        entity: { PartitionKey: partition, RowKey: `${i}` },
      })),
    );
});

test("heat prints the partitions, the largest first, and their share", async () => {
  const { code, out, errors } = await run("heat", target(), "Blogs");

  expect(out.split("\n")).toEqual([
    "60 rows in 3 partitions.",
    "Rows from the first key to the last: ▁█▄",
    "The largest partitions:",
    '          40  66.7 %  "b\\u202e"',
    '          18  30.0 %  "c"',
    '           2   3.3 %  "a"',
    "",
  ]);
  expect([code, errors]).toEqual([0, ""]);
});

test("--json has the same counts, and the times of the last writes", async () => {
  const { out } = await run("heat", target(), "Blogs", "--json");

  expect(JSON.parse(out)).toMatchObject({
    rows: 60,
    partitions: 3,
    largest: [
      { partitionKey: "b\u202e", rows: 40 },
      { partitionKey: "c", rows: 18 },
      { partitionKey: "a", rows: 2 },
    ],
    moments: expect.arrayContaining([expect.stringMatching(/^20\d\d-/)]) as string[],
  });
});

test("an empty table has no partitions, and a missing one is an error", async () => {
  expect(await run("heat", target(), "Empty")).toMatchObject({ code: 0, out: "0 rows in 0 partitions.\n" });
  expect(await run("heat", target(), "None")).toMatchObject({
    code: 1,
    errors: expect.stringMatching(/^storage\.table-not-found/) as string,
  });
});
