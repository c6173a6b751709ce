import { expect, test } from "vitest";
import { rangeFrom, type Start, startAfter } from "../../../src/stores/embedded/key-ranges.ts";
import { compare, textLiteral } from "../../../src/values/filter/filter-node.ts";
import { openStorage, type TableStorage } from "../../../src/index.ts";

const from = { text: "b", inclusive: false };
const to = { text: "f", inclusive: true };

test("after a position, or from it on, a range has one lower bound, which is what SQLite seeks to", () => {
  const bounds = { partitionKey: { lower: from, upper: to }, rowKey: {} };

  const sqlFrom = (start: Start): string[] => rangeFrom(bounds, start).map(({ sql }) => sql);
  expect(sqlFrom(startAfter(["c", "1"]))).toEqual(["pk <= ? AND (pk, rk) > (?, ?)"]);
  expect(sqlFrom({ at: ["c", "1"], inclusive: true })).toEqual(["pk <= ? AND (pk, rk) >= (?, ?)"]);
  // A position before the range says nothing about it.
  expect(sqlFrom(startAfter(["a", "1"]))).toEqual(["pk > ? AND pk <= ? AND (pk, rk) > (?, ?)"]);
});

test("pages over a range of partitions have each row of it once, wherever they begin", async () => {
  await using storage = await openStorage("memory:");
  await storage.createTable("Rows");
  const all = ["a", "b", "c", "d", "f", "g"].flatMap((pk) => ["1", "2", "3"].map((rk) => [pk, rk] as const));
  for (const [PartitionKey, RowKey] of all)
    await storage.write("Rows", { type: "insert", entity: { PartitionKey, RowKey } });
  const filter = {
    op: "and" as const,
    nodes: [compare("gt", "PartitionKey", textLiteral("b")), compare("le", "PartitionKey", textLiteral("f"))],
  };

  for (const top of [1, 2, 4, 100]) {
    const found: string[] = [];
    let after: Awaited<ReturnType<TableStorage["query"]>>["next"];
    do {
      const page = await storage.query("Rows", { filter, top, ...(after !== undefined && { after }) });
      found.push(...page.entities.map(({ PartitionKey, RowKey }) => PartitionKey + RowKey));
      after = page.next;
    } while (after !== undefined);
    expect(found).toEqual(["c1", "c2", "c3", "d1", "d2", "d3", "f1", "f2", "f3"]);
  }
});
