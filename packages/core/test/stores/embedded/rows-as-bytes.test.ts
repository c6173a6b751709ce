import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { virtualClock } from "@partita/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openStorage, type TableStorage } from "../../../src/index.ts";
import type { FilterNode, StoredQuery } from "../../../src/storage.ts";
import type { ReadRow, RowBody, RowReader } from "../../../src/storage/row-reader.ts";
import { readRows, type RowPage } from "../../../src/storage/store-engine.ts";
import { checksumOfThing, insert } from "./things.ts";

let folder = "";
let path = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "partita-"));
  path = join(folder, "bytes.db");
});
afterEach(() => rm(folder, { recursive: true }));

/** A row that keeps what it was made from. */
class TakenRow {
  readonly body: RowBody;
  readonly text: string;

  constructor(body: RowBody) {
    this.body = body;
    this.text = Buffer.from(body.bytes).toString();
  }
}

/** Takes the rows whose number is even. */
function readerOf(): RowReader & { readonly seen: string[] } {
  const seen: string[] = [];
  return {
    seen,
    readList: () => expect.unreachable("a store has rows, and no list"),
    readBody(body) {
      seen.push(body.rowKey);
      const row = new TakenRow(body);
      return (JSON.parse(row.text) as { n: number }).n % 2 === 0 ? row : undefined;
    },
  };
}

const rowKeyOf = (n: number): string => `r${String(n).padStart(4, "0")}`;
const compare = (name: string, op: "eq" | "lt" | "ge", value: string | number): FilterNode => ({
  op,
  name,
  literal: typeof value === "number" ? { edm: "Edm.Int32", value } : { edm: "Edm.String", value },
});

describe.each(["memory:", "file:"])("over %s", (kind) => {
  const clock = virtualClock(Date.UTC(2026, 0, 1));
  let storage: TableStorage;
  beforeEach(async () => {
    storage = await openStorage(kind === "file:" ? `file:${path}` : kind, { clock });
    await storage.createTable("Things");
    for (let from = 0; from < 300; from += 100)
      await storage.transact(
        "Things",
        Array.from({ length: 100 }, (_, i) => insert({ n: from + i, word: "wörd" }, rowKeyOf(from + i))),
      );
  });
  afterEach(() => storage.close());

  test("a reader gets the bytes of each row in order; those it leaves are entities", async () => {
    const expected = await storage.query("Things", { top: 250 });
    const reader = readerOf();
    const { rows, next } = await readRows(storage, "Things", { top: 250 }, reader);

    expect(rows).toHaveLength(250);
    for (const [n, row] of rows.entries()) {
      const entity = expected.entities[n];
      const found = row instanceof TakenRow ? row : undefined;
      expect(found === undefined ? row : found.text).toEqual(
        n % 2 === 0 ? JSON.stringify({ n, word: "wörd" }) : entity,
      );
      expect(found?.body.etag).toBe(n % 2 === 0 ? entity?.["odata.etag"] : undefined);
      expect(found?.body.timestamp).toBe(n % 2 === 0 ? entity?.Timestamp : undefined);
      expect([found?.body.partitionKey, found?.body.rowKey]).toEqual(
        n % 2 === 0 ? [entity?.PartitionKey, entity?.RowKey] : [undefined, undefined],
      );
    }
    expect(next).toBe(expected.next);
    expect(reader.seen).toEqual(expected.entities.map(({ RowKey }) => RowKey));
  });

  test("a row that a wrong clock wrote has its own Timestamp", async () => {
    clock.advance(1000);
    await storage.write("Things", insert({ n: 1000 }, "s1"));
    clock.advance(-500);
    await storage.write("Things", insert({ n: 1002 }, "s2"));
    const filter = compare("RowKey", "ge", "s");
    const { entities } = await storage.query("Things", { filter });
    const reader = readerOf();
    const { rows } = await readRows(storage, "Things", { filter: of(filter) }, reader);

    const times = rows.map((row) => (row as TakenRow).body.timestamp);
    expect(times).toEqual(entities.map(({ Timestamp }) => Timestamp));
    expect(times[1]).toBe("2026-01-01T00:00:00.5000000Z");
  });

  test.each<[name: string, query: StoredQuery]>([
    ["a filter on values", { filter: compare("n", "lt", 5) }],
    ["a filter on keys that no seek decides", { filter: compare("RowKey", "lt", rowKeyOf(5)) }],
  ])("%s leaves rows to the reader", async (_name, query) => {
    const reader = readerOf();
    const { rows } = await readRows(storage, "Things", query, reader);

    expect(rows).toHaveLength(5);
    expect(new Set(reader.seen).size).toBe(5);
  });

  test("a projection is answered by entities", async () => {
    const reader = readerOf();
    const { rows } = await readRows(storage, "Things", { select: ["n"], top: 5 }, reader);

    expect(rows).toEqual((await storage.query("Things", { select: ["n"], top: 5 })).entities);
    expect(rows).toHaveLength(5);
    expect(reader.seen).toEqual([]);
  });

  test("a filter that keys decide leaves rows to the reader, page by page", async () => {
    const filter = of(compare("RowKey", "lt", rowKeyOf(250)));
    const reader = readerOf();
    const found: ReadRow[] = [];
    let after: StoredQuery["after"];
    do {
      const query = { filter, top: 70, ...(after !== undefined && { after }) };
      const page: RowPage = await readRows(storage, "Things", query, reader);
      found.push(...page.rows);
      after = page.next;
    } while (after !== undefined);

    expect(found).toHaveLength(250);
    expect(reader.seen).toHaveLength(250);
  });

  test("a page ends where it ends without a reader: before its bodies pass 4 MiB", async () => {
    const text = "ü".repeat(30_000);
    const properties = Object.fromEntries(Array.from({ length: 5 }, (_, i) => [`P${i}`, text]));
    for (let n = 0; n < 20; n++) await storage.write("Things", insert({ n, ...properties }, `s${n}`));
    const filter = of(compare("RowKey", "ge", "s"));
    const expected = await storage.query("Things", { filter });
    const reader = readerOf();
    const page = await readRows(storage, "Things", { filter }, reader);

    expect(expected.next).toBeDefined();
    expect(page.next).toBe(expected.next);
    expect(page.rows).toHaveLength(expected.entities.length);
  });
});

/** With the one partition that there is: RowKeys are sought within one. */
const of = (node: FilterNode): FilterNode => ({
  op: "and",
  nodes: [compare("PartitionKey", "eq", "p"), node],
});

/** A file with one row, whose columns are changed behind the library's back. */
async function changed(body: string | Uint8Array, crcOf: (ts: number) => number): Promise<TableStorage> {
  {
    await using storage = await openStorage(`file:${path}`);
    await storage.createTable("Things");
    await storage.write("Things", insert({ n: 2 }, "r"));
  }
  const raw = new DatabaseSync(path);
  const { ts } = raw.prepare("SELECT ts FROM rows1").get() as { ts: number };
  raw.prepare("UPDATE rows1 SET body = ?, crc = ?").run(body, crcOf(ts));
  raw.close();
  return openStorage(`file:${path}`);
}

test("a damaged row is handed to no reader", async () => {
  await using storage = await changed(Buffer.from('{"n":4}'), () => 0);
  const reader = readerOf();

  await expect(readRows(storage, "Things", {}, reader)).rejects.toMatchObject({
    code: "storage.damaged",
  });
  expect(reader.seen).toEqual([]);
});

test("a body that is whole and no object is damage, for a reader that leaves it and for who reads entities", async () => {
  const body = Buffer.from("[2]");
  await using storage = await changed(body, (ts) => checksumOfThing("r", ts, body));
  const leaving: RowReader = { ...readerOf(), readBody: () => undefined };
  const taking: RowReader = { ...readerOf(), readBody: (each) => new TakenRow(each) };

  const damaged = expect.objectContaining({ code: "storage.damaged" }) as Error;
  await expect(readRows(storage, "Things", {}, leaving)).rejects.toEqual(damaged);
  await expect(storage.query("Things", {})).rejects.toEqual(damaged);
  expect((await readRows(storage, "Things", {}, taking)).rows).toHaveLength(1);
});
