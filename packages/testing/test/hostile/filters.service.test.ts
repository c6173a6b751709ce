/* oxlint-disable vitest/no-conditional-expect -- of two right ends, each has its own checks */
import {
  createTables,
  defineEntity,
  int32,
  odata,
  openStorage,
  QueryError,
  TableContext,
  type TableStorage,
  text,
} from "@partita/core";
import type { FilterNode } from "@partita/core/storage";
import { parseFilter, printFilter } from "@partita/core/protocol";
import { accountSas } from "@partita/account";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startTableServer, type TableServer } from "@partita/server";
import { breakouts, oddValues } from "./corpus.ts";
import { orTypedError, typedError } from "./fake-service.ts";

class Note extends defineEntity({
  table: "Notes",
  partitionKey: { tenant: text() },
  rowKey: { id: text() },
  properties: { title: text().optional(), rank: int32().default(0) },
}) {}

let server: TableServer;
let overServer: TableStorage;
let embedded: TableStorage;
let sas: string;
beforeAll(async () => {
  server = await startTableServer();
  overServer = await openStorage(server.connectionString);
  embedded = await openStorage("memory:");
  for (const storage of [overServer, embedded]) {
    await createTables(storage, [Note]);
    const context = new TableContext(storage);
    for (const tenant of ["alice", "bob"])
      context.create(Note, { tenant, id: "1", title: "private", rank: 1 });
    await context.saveChanges();
  }
  const expiresAt = new Date(Date.now() + 600_000);
  sas = accountSas(
    { accountName: server.account, accountKey: server.key },
    { permissions: "r", expiresAt, protocol: "https,http" },
  );
});
afterAll(async () => {
  await overServer.close();
  await embedded.close();
  await server.close();
});

describe.each(["the table server", "the embedded store"])("filters sent to %s", (place) => {
  let storage: TableStorage;
  beforeEach(() => {
    storage = place === "the table server" ? overServer : embedded;
  });

  test.each(breakouts)("text in a filter stays text: %j", async (value) => {
    const context = new TableContext(storage);
    const queries = [
      context.query(Note).where((note) => note.tenant.eq(value)),
      context.query(Note).where((note) => note.tenant.in([value, `${value}x`])),
      context
        .query(Note)
        .where((note) => note.title.eq(value))
        .scan(),
      context
        .query(Note)
        .filter(odata`PartitionKey eq ${value}`)
        .scan(),
      context
        .query(Note)
        .filter(odata`title eq ${value} or RowKey eq ${value}`)
        .scan(),
    ];

    for (const query of queries) expect(await query.toArray()).toEqual([]);
  });

  test.each<[name: string, filter: FilterNode]>([
    ["a name with an operator", textFilter("PartitionKey ne '' or RowKey")],
    ["a name that closes a parenthesis", textFilter("x) or (PartitionKey ne '' and RowKey")],
    ["a name with a comment", textFilter("1 eq 1 or x")],
    ["an empty name", textFilter("")],
    ["a name with a parameter", textFilter("x&$filter=PartitionKey")],
    ["an Int32 that is text", typedFilter("Edm.Int32", "1 or PartitionKey ne ''")],
    ["an Int32 with toString", typedFilter("Edm.Int32", { toString: () => "1 or PartitionKey ne ''" })],
    ["an Int64 that is more", typedFilter("Edm.Int64", "1L or PartitionKey ne '' or rank eq 1")],
    ["a Boolean that is more", typedFilter("Edm.Boolean", "true or PartitionKey ne ''")],
    ["a Double that is more", typedFilter("Edm.Double", "1.5 or PartitionKey ne ''")],
    ["a DateTime that ends early", typedFilter("Edm.DateTime", "x' or PartitionKey ne '")],
    ["a Guid that ends early", typedFilter("Edm.Guid", "x' or PartitionKey ne '")],
    ["a String with toString", typedFilter("Edm.String", { toString: () => "x" })],
    ["a String that is a list", typedFilter("Edm.String", ["x"])],
    ["an unknown type", typedFilter("Edm.Evil", "1 or PartitionKey ne ''")],
    ["an unknown operator", { ...textFilter("rank"), op: "ne '' or rank eq" } as never],
    ["a constant that is more", { op: "constant", value: "true or PartitionKey ne ''" } as never],
    ["a constant that is truthy", { op: "constant", value: 1 } as never],
    ["a list of nothing", { op: "or", nodes: [] }],
  ])("a node made by hand reads nobody's rows: %s", async (_name, filter) => {
    const page = await orTypedError(() => storage.query("Notes", { filter }));

    expect(page?.entities ?? []).toEqual([]);
  });

  test.each(oddValues)("%s is no constant", async (_name, value) => {
    const context = new TableContext(storage);
    const wrong = value as never;

    for (const build of [
      () =>
        context
          .query(Note)
          .where((note) => note.title.eq(wrong))
          .scan()
          .toArray(),
      () =>
        context
          .query(Note)
          .where((note) => note.tenant.eq(wrong))
          .toArray(),
      () =>
        context
          .query(Note)
          .where((note) => note.tenant.in([wrong]))
          .toArray(),
      () =>
        context
          .query(Note)
          .where((note) => note.rank.gt(wrong))
          .scan()
          .toArray(),
      () =>
        context
          .query(Note)
          .where((note) => note.tenant.startsWith(wrong))
          .toArray(),
      () => context.query(Note).where({ tenant: wrong }).toArray(),
      () =>
        context
          .query(Note)
          .filter(odata`rank eq ${wrong}`)
          .scan()
          .toArray(),
    ])
      expect(await typedError(build)).toBeInstanceOf(QueryError);
  });
});

function textFilter(name: string): FilterNode {
  return { op: "eq", name, literal: { edm: "Edm.String", value: "x" } };
}

function typedFilter(edm: string, value: unknown): FilterNode {
  return { op: "eq", name: "rank", literal: { edm, value } as never };
}

test.each(breakouts)("what is printed is read back as it was: %j", (value) => {
  const node: FilterNode = {
    op: "and",
    nodes: [
      { op: "eq", name: "PartitionKey", literal: { edm: "Edm.String", value } },
      { op: "not", node: { op: "ge", name: "rank", literal: { edm: "Edm.String", value: `${value}'` } } },
    ],
  };

  expect(parseFilter(printFilter(node))).toEqual(node);
});

/** Texts that are no filter, or one that would be costly to read. */
const badFilters: readonly string[] = [
  "'",
  "x eq 'a",
  "x eq a'",
  "x eq 'a''",
  "(",
  ")",
  "()",
  "x",
  "x eq",
  "eq 1",
  "x eq 1 or",
  "or x eq 1",
  "x eq 1 x eq 2",
  "x = 1",
  "x eq 1; DROP TABLE Notes",
  "x eq 1 -- ",
  "x eq y",
  "1 eq 1",
  "x eq null",
  "x eq datetime'x'",
  "x eq datetime'9999-99-99T99:99:99Z'",
  "x eq guid'zz'",
  "x eq X'0'",
  "x eq binary'zz'",
  "x eq 99999999999999999999L",
  "x eq 1e999",
  "x eq 0x10",
  "x eq NaN",
  "startswith(x,'a')",
  "length(x) gt 0",
  "x/any(y:y eq 1)",
  "PartitionKey ne '' and __proto__",
  "\0 eq 1",
  "x eq 1\0",
  "x\u0000y eq 1",
  "é́ eq 1 \u202e",
  "not ".repeat(5000) + "x eq 1",
  "(".repeat(5000) + "x eq 1" + ")".repeat(5000),
  `${"(".repeat(300)}x eq 1${")".repeat(300)}`,
  `${"a".repeat(256)} eq 1`,
  `x eq ${"9".repeat(5000)}`,
  `x eq '${"''".repeat(3000)}`,
  `x eq 1 ${" ".repeat(5000)}!`,
  "x eq 1 or ".repeat(800),
];

test.each(badFilters.map((filter) => [filter.slice(0, 40), filter]))(
  "the server refuses the filter %j",
  async (_shown, filter) => {
    const response = await fetch(`${server.url}/Notes()?${sas}&$filter=${encodeURIComponent(filter)}`, {
      headers: { accept: "application/json" },
    });
    const body = await response.text();

    // A property alone is a condition that no row here meets.
    if (response.status === 200) expect(JSON.parse(body)).toMatchObject({ value: [] });
    else expect([400, 414, 431, 501]).toContain(response.status);
    expect(body).not.toContain("private");
  },
);

test.each<[name: string, text: string]>([
  ["open parentheses", "(".repeat(1_000_000)],
  ["negations", "not ".repeat(250_000)],
  ["quotes", "'".repeat(1_000_001)],
  ["an open text", `x eq '${"a".repeat(1_000_000)}`],
  ["an open text of quotes", `x eq '${"''".repeat(500_000)}`],
  ["digits", `x eq ${"1".repeat(1_000_000)}`],
  ["digits and a point", `x eq ${"1".repeat(500_000)}.${"1".repeat(500_000)}!`],
  ["exponents", `x eq 1${"e1".repeat(500_000)}`],
  ["a name", "a".repeat(1_000_000)],
  ["a name with marks", `a${"\u0301".repeat(1_000_000)}`],
  ["white space", `x eq 1${" ".repeat(1_000_000)}!`],
  ["operators", "eq ".repeat(300_000)],
  ["a type without its text", "datetime".repeat(100_000)],
])("a megabyte of %s is refused at once", async (_name, filter) => {
  expect(await typedError(() => parseFilter(filter))).toMatchObject({ code: "query.filter-syntax" });
});
