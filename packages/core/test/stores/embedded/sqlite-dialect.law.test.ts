import { test as propertyTest } from "@fast-check/vitest";
import { scanCase, writeRows } from "@partita/test-support/scan-cases";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { openStorage, type TableStorage } from "../../../src/index.ts";
import type { FilterNode, Literal, StoredEntity } from "../../../src/storage.ts";
import { sqliteDialect } from "../../../src/stores/embedded/sqlite-dialect.ts";
import { packedLength, packedText } from "../../../src/values/edm/packed-bytes.ts";
import { checkFilter } from "../../../src/storage/check-filter.ts";
import { evaluateFilter, lookupIn } from "../../../src/values/filter/evaluate-filter.ts";
import { filterSql } from "../../../src/values/filter/filter-sql.ts";

let folder = "";
let memory: TableStorage;
let file: TableStorage;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "partita-"));
  memory = await openStorage("memory:");
  file = await openStorage(`file:${join(folder, "scan.db")}`, { durability: "normal" });
});
afterEach(() => vi.restoreAllMocks());
afterAll(async () => {
  await memory.close();
  await file.close();
  await rm(folder, { recursive: true });
});

/** What SQL says of each row, and what JavaScript says. */
function verdicts(
  raw: DatabaseSync,
  rows: string,
  drawn: FilterNode,
  all: readonly StoredEntity[],
): [unknown, boolean][] {
  const filter = checkFilter(drawn);
  const { certain, possible, values } = filterSql(filter, sqliteDialect);
  const sql = `SELECT ${certain} AS certain, ${possible} AS possible FROM ${rows} ORDER BY pk, rk`;
  return raw
    .prepare(sql)
    .all(...values, ...values)
    .map((found, i) => {
      expect(found["possible"]).toBe(found["certain"] === 0 ? 0 : 1);
      return [found["certain"], evaluateFilter(filter, lookupIn(all[i] as StoredEntity))];
    });
}

/** Packs the long bytes of each row, as the encoder does. How many rows have any. */
function pack(raw: DatabaseSync, rows: string): number {
  let count = 0;
  for (const { id, body } of raw.prepare(`SELECT id, body FROM ${rows}`).all()) {
    const properties = JSON.parse(Buffer.from(body as Uint8Array).toString()) as Record<string, string>;
    const parts: Buffer[] = [];
    let at = 0;
    for (const name in properties) {
      if (properties[`${name}@odata.type`] !== "Edm.Binary") continue;
      const part = Buffer.from(properties[name] as string, "base64");
      if (part.length < packedLength) continue;
      properties[name] = packedText(at, part.length);
      at += part.length;
      parts.push(part);
    }
    if (at === 0) continue;
    const json = Buffer.from(JSON.stringify(properties));
    const trailer = Buffer.alloc(5);
    trailer.writeUInt32LE(json.length);
    const packed = Buffer.concat([json, ...parts, trailer]);
    raw.prepare(`UPDATE ${rows} SET body = ? WHERE id = ?`).run(packed, id as number);
    count++;
  }
  return count;
}

let [decided, undecided, packed] = [0, 0, 0];

propertyTest.prop([scanCase], {
  numRuns: 300,
})("what SQL decides of a row is what JavaScript says", async ([rows, filters]) => {
  await file.deleteTable("Rows").catch(() => undefined);
  await file.createTable("Rows");
  await writeRows(file, "Rows", rows);
  const { entities: all } = await file.query("Rows", {});
  const raw = new DatabaseSync(join(folder, "scan.db"));
  const { id } = raw.prepare("SELECT id FROM table_names WHERE name = 'Rows'").get() as { id: number };
  packed += pack(raw, `rows${id}`);
  for (const filter of filters)
    for (const [sql, isWanted] of verdicts(raw, `rows${id}`, filter, all)) {
      if (sql !== null) expect([sql, filter]).toEqual([isWanted ? 1 : 0, filter]);
      if (sql === null) undecided++;
      else decided++;
    }
  raw.close();
});

test("SQL decides most of the rows of that law", () => {
  expect(decided).toBeGreaterThan(1000);
  expect(undecided).toBeLessThan(decided / 3);
  expect(packed).toBeGreaterThan(10);
});

propertyTest.prop([scanCase], {
  numRuns: 150,
})(
  "a scan returns exactly the rows that satisfy its filter, from memory and from a file",
  async ([rows, filters]) => {
    for (const storage of [memory, file]) {
      await storage.deleteTable("Things").catch(() => undefined);
      await storage.createTable("Things");
      await writeRows(storage, "Things", rows);
      const { entities: all } = await storage.query("Things", {});
      for (const each of filters) {
        const { entities, next } = await storage.query("Things", { filter: each });

        expect(next).toBeUndefined();
        expect(entities).toEqual(all.filter((entity) => evaluateFilter(each, lookupIn(entity))));
      }
    }
  },
);

const eq = (key: string, literal: Literal): FilterNode => ({ op: "eq", name: key, literal });

test.each<[name: string, literal: Literal, hits: number]>([
  ["a whole number", { edm: "Edm.Int32", value: 299 }, 1],
  ["an Int64", { edm: "Edm.Int64", value: "299" }, 0],
  ["text", { edm: "Edm.String", value: "nothing has it" }, 0],
])("a scan for %s parses only rows that may match", async (_name, literal, hits) => {
  await using storage = await openStorage("memory:");
  await storage.createTable("Things");
  for (let from = 0; from < 300; from += 100)
    await storage.transact(
      "Things",
      Array.from({ length: 100 }, (_, i) => ({
        type: "insert",
        entity: { PartitionKey: "p", RowKey: `${from + i}`, n: from + i },
      })),
    );
  const parse = vi.spyOn(JSON, "parse");

  const { entities } = await storage.query("Things", { filter: eq("n", literal) });

  expect(entities).toHaveLength(hits);
  expect(parse.mock.calls.length).toBeLessThanOrEqual(1);
});

test("of a long filter, SQL decides what it can", () => {
  const kind = eq("Kind", { edm: "Edm.String", value: "a" });
  const many: FilterNode = {
    op: "or",
    nodes: Array.from({ length: 30 }, (_, value) => eq("n", { edm: "Edm.Int32", value })),
  };

  const { certain } = filterSql({ op: "and", nodes: [many, kind] }, sqliteDialect);

  expect(certain).toMatch(/^NULL AND \(CASE WHEN .*FALSE END\)$/);
});

test.each([50, 5000])("a filter of %d nodes finds what one of them finds", async (count) => {
  await using storage = await openStorage("memory:");
  await storage.createTable("Things");
  await storage.write("Things", { type: "insert", entity: { PartitionKey: "p", RowKey: "r", n: 5 } });
  const comparisons = Array.from({ length: count }, (_, value) => eq("n", { edm: "Edm.Int32", value }));
  const constants = Array.from({ length: count }, (_, i): FilterNode => ({ op: "constant", value: i === 5 }));

  for (const nodes of [comparisons, constants]) {
    const not = nodes.map((node): FilterNode => ({ op: "not", node }));
    for (const [op, list, hits] of [["or", nodes, 1] as const, ["and", not, 0] as const])
      expect((await storage.query("Things", { filter: { op, nodes: list } })).entities).toHaveLength(hits);
  }
});
