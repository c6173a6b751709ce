import { folderOfEachTest } from "@partita/test-support/folder-of-each-test";
import { DatabaseSync } from "node:sqlite";
import { expect, test, vi } from "vitest";
import { openStorage } from "../../../src/index.ts";
import type { FilterNode, Literal } from "../../../src/storage.ts";
import { checksumOfThing, insert, memory } from "./things.ts";

const inFolder = folderOfEachTest();

test.each([0, -1, 1.5, 1001])("refuses a page of %d", async (top) => {
  await using storage = await memory();

  await expect(storage.query("Things", { top })).rejects.toMatchObject({ serviceCode: "InvalidInput" });
});

test("a page of large entities stays within a few mebibytes", async () => {
  await using storage = await memory();
  const properties = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`P${i}`, "x".repeat(30_000)]));
  for (let i = 0; i < 60; i++) await storage.write("Things", insert(properties, `r${i}`));

  const page = await storage.query("Things", {});

  expect(page.entities.length).toBeLessThan(60);
  expect(page.next).toBeDefined();
});

test("a page shows one state of the table, whatever other processes write", async () => {
  const path = inFolder("snapshot.db");
  await using storage = await openStorage(`file:${path}`);
  await storage.createTable("Things");
  for (let from = 0; from < 1000; from += 100)
    await storage.transact(
      "Things",
      Array.from({ length: 100 }, (_, i) => insert({ V: 0 }, String(from + i).padStart(4, "0"))),
    );
  const other = new DatabaseSync(path, { timeout: 5000 });
  const sample = [0, 450, 700, 999];
  let version = 0;
  for (let round = 0; round < 50; round++) {
    const reading = storage.query("Things", {});
    other.exec("BEGIN IMMEDIATE");
    version++;
    for (const i of sample) {
      const rk = String(i).padStart(4, "0");
      const { ts } = other.prepare("SELECT ts FROM rows1 WHERE rk = ?").get(rk) as { ts: number };
      const body = `{"V":${version}}`;
      other
        .prepare("UPDATE rows1 SET body = CAST(? AS BLOB), crc = ? WHERE rk = ?")
        .run(body, checksumOfThing(rk, ts, body), rk);
    }
    other.exec("COMMIT");
    const { entities } = await reading;
    expect(new Set(sample.map((i) => entities[i]?.["V"])).size).toBe(1);
  }
  other.close();
});

const text = (value: string): Literal => ({ edm: "Edm.String", value });
const isLong = { op: "eq", name: "Kind", literal: text("long") } as const;
const compare = (name: string, op: "ge", value: number): FilterNode => ({
  op,
  name,
  literal: { edm: "Edm.Int32", value },
});
const behind = (rowKey: string): FilterNode[] => [
  { op: "eq", name: "PartitionKey", literal: text("p") },
  { op: "gt", name: "RowKey", literal: text(rowKey) },
];

test.each([
  ["a range of keys", []],
  ["a filter", [isLong]],
])("no row is read behind a page that is full, by %s", async (_, nodes) => {
  const path = inFolder("full.db");
  {
    await using storage = await openStorage(`file:${path}`, { durability: "normal" });
    await storage.createTable("Things");
    const long = Object.fromEntries(Array.from({ length: 15 }, (_, i) => [`P${i}`, "x".repeat(32_000)]));
    for (let i = 10; i < 24; i++) await storage.write("Things", insert({ Kind: "long", ...long }, `r${i}`));
  }
  const raw = new DatabaseSync(path);
  // Whoever reads one of them says so.
  raw.exec("UPDATE rows1 SET crc = 1 WHERE rk IN ('r12', 'r22')");
  raw.close();
  await using storage = await openStorage(`file:${path}`);
  const keysOf = async (after: string, top: number): Promise<string[]> => {
    const filter: FilterNode = { op: "and", nodes: [...behind(after), ...nodes] };
    return (await storage.query("Things", { filter, top })).entities.map(({ RowKey }) => RowKey);
  };

  expect(await keysOf("r0", 2)).toEqual(["r10", "r11"]);
  await expect(keysOf("r0", 3)).rejects.toMatchObject({ code: "storage.damaged" });
  // 4 MiB are eight rows: the ninth is read, since it may be short.
  expect(await keysOf("r12", 100)).toHaveLength(8);
  await expect(keysOf("r13", 100)).rejects.toMatchObject({ code: "storage.damaged" });
});

test.each([
  ["memory:", [compare("n", "ge", 1000)]],
  ["file:", [compare("n", "ge", 1000)]],
  ["memory:", [isLong, compare("n", "ge", 1000)]],
])(
  "rows that are not wanted are passed by many in a step, however few are asked for: %s",
  async (kind, nodes) => {
    const at = kind === "file:" ? `file:${inFolder("many.db")}` : kind;
    await using storage = await openStorage(at, { durability: "normal" });
    await storage.createTable("Things");
    const rowKeys = Array.from({ length: 3000 }, (_, i) => String(i).padStart(4, "0"));
    for (let from = 0; from < 3000; from += 100)
      await storage.transact(
        "Things",
        rowKeys.slice(from, from + 100).map((rowKey) => insert({ Kind: "long", n: 0 }, rowKey)),
      );
    const turns = vi.spyOn(globalThis, "setImmediate");
    // Steps of a fast machine: on a slow one they are shorter.
    vi.spyOn(performance, "now").mockReturnValue(0);

    const page = await storage.query("Things", { top: 1, filter: { op: "and", nodes } });

    vi.restoreAllMocks();
    expect(page.entities).toEqual([]);
    expect(turns.mock.calls.length).toBeLessThan(30);
  },
);
