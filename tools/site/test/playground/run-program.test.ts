import { describe, expect, test } from "vitest";
import { runProgram } from "../../src/playground/engine/run-program.ts";
import { readExamples } from "../../src/playground/examples.ts";
import type { Problem, Program } from "../../src/playground/program.ts";

const program: Program = {
  model: `import { defineEntity, int32, text } from "@partita/core";
import { constant, padded } from "@partita/core/keys";

export class Order extends defineEntity({
  table: "Orders",
  partitionKey: { customer: text() },
  rowKey: { number: constant("NO:", padded(6)) },
  properties: { state: text(), total: int32() },
  indexes: { byState: { rowKey: { state: constant("STATE:", text()), number: padded(6) } } },
}) {}`,
  query: `context.query(Order).where((o) => o.customer.eq("ada").and(o.number.ge(2)));`,
  rows: `{
    "Order": [
      { "customer": "bob", "number": 1, "state": "open", "total": 5 },
      { "customer": "ada", "number": 10, "state": "open", "total": 7 },
      { "customer": "ada", "number": 1, "state": "paid", "total": 6 },
      { "customer": "ada", "number": 2, "state": "open", "total": 9 }
    ]
  }`,
};

const usesOf = async (changed: Partial<Program>): Promise<string[]> =>
  (await runProgram({ ...program, ...changed })).rows
    .filter(({ use }) => use !== "unread")
    .map(({ of, partitionKey, rowKey, use }) => `${of} ${partitionKey} ${rowKey} ${use}`);

/** Parts of a problem. */
interface Expected {
  readonly field?: string;
  readonly line?: number;
  readonly code?: string;
  readonly message?: RegExp | string;
}

const problemsOf = async (changed: Partial<Program>): Promise<readonly Problem[]> =>
  (await runProgram({ ...program, ...changed })).problems;

test.each(readExamples().map((example) => [example.title, example.program] as const))(
  "the example runs: %s",
  async (_title, example) => {
    const { problems, plan, cost } = await runProgram(example);

    expect(problems).toEqual([]);
    expect(plan?.rating).toMatch(/^(good|fair)$/);
    expect(cost?.returned).toBeGreaterThan(0);
    expect(cost?.read).toBeGreaterThanOrEqual(cost?.returned ?? 0);
  },
);

describe("the rows that a query reads", () => {
  test("are those of its key range, in key order", async () => {
    const { plan, rows, cost } = await runProgram(program);

    expect(plan).toMatchObject({
      rating: "good",
      partitions: 1,
      requests: [
        { type: "row range scan", keys: expect.stringContaining("PartitionKey eq 'ada'") as string },
      ],
    });
    expect(
      rows.map(({ partitionKey, of }) => `${partitionKey} ${of}`).filter((row) => row.endsWith("Order")),
    ).toEqual(["ada Order", "ada Order", "ada Order", "bob Order"]);
    expect(cost).toEqual({ requests: 1, read: 2, returned: 2 });
    expect(await usesOf({})).toEqual(["Order ada NO:000002 returned", "Order ada NO:000010 returned"]);
  });

  test("may be more than those that it returns", async () => {
    const query = `context.query(Order).where({ customer: "ada", total: 7 })`;

    expect(await usesOf({ query })).toEqual([
      "Order ada NO:000001 read",
      "Order ada NO:000002 read",
      "Order ada NO:000010 returned",
    ]);
  });

  test("are rows of an index where the plan uses one", async () => {
    const byState = `context.query(Order).where({ customer: "ada", state: "open" })`;

    const { plan } = await runProgram({ ...program, query: byState });
    expect(plan?.advice).toEqual(['Over the index byState, it would cost less: .via("byState").']);
    expect(await usesOf({ query: `${byState}.via("byState")` })).toEqual([
      "index byState ada STATE:open_000002 returned",
      "index byState ada STATE:open_000010 returned",
    ]);
  });

  test("include those of the first hundred requests of a long plan", async () => {
    const numbers = "Array.from({ length: 300 }, (_, n) => 2 * n)";

    const { plan } = await runProgram({
      ...program,
      query: `context.query(Order).where((o) => o.customer.eq("ada").and(o.number.in(${numbers})))`,
    });

    expect([plan?.requestCount, plan?.requests.length]).toEqual([300, 100]);
  });

  test("stop where a query has taken enough", async () => {
    expect((await runProgram({ ...program, query: program.query.replace(";", ".take(1);") })).cost).toEqual({
      requests: 1,
      read: 1,
      returned: 1,
    });
  });

  test("include the children of entities", async () => {
    const model = `import { defineEntity, defineKind, owned, text } from "@partita/core";
import { padded } from "@partita/core/keys";
class Base extends defineEntity({
  table: "Orders",
  partitionKey: { tenant: text() },
  rowKey: { id: text() },
  properties: {},
}) {}
class Order extends defineKind(Base, { kind: "Order", children: { lines: owned(() => Line) } }) {}
class Line extends defineKind(Base, { kind: "Line", rowKey: { no: padded(4) } }) {}`;
    const query = `context.query(Order).where({ tenant: "acme", id: "7" }).include((order) => order.lines)`;
    const rows = `{ Order: ["6", "7"].map((id) => ({ tenant: "acme", id, lines: [{ no: 1 }, { no: 2 }] })) }`;

    expect(await problemsOf({ model, query, rows })).toEqual([]);
    expect(await usesOf({ model, query, rows })).toEqual([
      "Order acme 7 returned",
      "Line acme 7_0001 returned",
      "Line acme 7_0002 returned",
    ]);
  });

  test("are none if a scan is refused, and the plan is still shown", async () => {
    const { plan, cost, problems } = await runProgram({ ...program, query: "context.query(Order)" });

    expect(plan).toMatchObject({ rating: "worst", partitions: undefined });
    expect(plan?.advice).toEqual(["A condition on customer would turn the scan into a key range."]);
    expect(cost).toBeUndefined();
    expect(problems).toMatchObject([{ field: "query", code: "query.scan-refused" }]);
  });
});

describe("a problem", () => {
  test.each<[string, Partial<Program>, Expected]>([
    ["of syntax is at the model", { model: "class {" }, { field: "model", message: /^SyntaxError: / }],
    [
      "of an import names what the module lacks, with the line",
      { model: '\nimport { openStorage } from "@partita/core";' },
      { field: "model", line: 2, message: /no "openStorage" of @partita\/core/ },
    ],
    [
      "of an unknown module lists those that there are",
      { model: 'import { writeFile } from "node:fs";' },
      { field: "model", message: /no module "node:fs".*@partita\/core\/keys/ },
    ],
    [
      "of a declaration is at the model, with its code and without the link",
      { model: program.model.replace('"Orders"', '"no table"') },
      { field: "model", code: "model.table-name", message: /^(?!.*See http)/ },
    ],
    [
      "of a name in the query has its line",
      { query: "\n\nnowhere" },
      { field: "query", line: 3, message: "ReferenceError: nowhere is not defined" },
    ],
    [
      "of a condition has its code",
      { query: "context.query(Order).where({ nothing: 1 })" },
      { field: "query", code: "query.unknown-property" },
    ],
    [
      "is a decorator",
      { model: '@Table("Orders")\nclass Order {}' },
      { field: "model", message: /defineEntity/ },
    ],
    [
      "is more rows than the page shows",
      {
        rows: '{ Order: Array.from({ length: 501 }, (_, n) => ({ customer: "a", number: n, state: "", total: 1 })) }',
      },
      { field: "rows", message: /up to 1000 stored rows/ },
    ],
    [
      "is a query that is read",
      { query: `${program.query.replace(";", "")}.toArray()` },
      { message: /without toArray/ },
    ],
    ["is a value that is no query", { query: "42" }, { message: /^End with a query/ }],
    [
      "is a write",
      { query: `context.query(Order).where({ customer: "ada" }).removeAll()` },
      { field: "query" },
    ],
    [
      "is another method of the context",
      { query: "context.create(Order, {})" },
      { message: /context.create/ },
    ],
    ["is a row of no class", { rows: '{ "Nothing": [] }' }, { field: "rows", message: /no class "Nothing"/ }],
    [
      "is a list of rows without their class",
      { rows: "[{}]" },
      { field: "rows", message: /^Write rows by class/ },
    ],
    [
      "is a value that a property does not take",
      { rows: '{ "Order": [{ "total": "x" }] }' },
      { field: "rows" },
    ],
    [
      "is a key that two rows have",
      { rows: '{ "Order": [1, 2].map(() => ({ customer: "ada", number: 1, state: "open", total: 1 })) }' },
      { field: "rows", message: /Two rows of Order have the key \("ada", "NO:000001"\)/ },
    ],
  ])("%s", async (_what, changed, { message = /./, ...expected }) => {
    const [first] = await problemsOf(changed);

    expect(first).toMatchObject({ ...expected, message: expect.stringMatching(message) as string });
  });

  test("of the rows leaves the plan", async () => {
    const { plan, problems } = await runProgram({ ...program, rows: "{" });

    expect(plan?.rating).toBe("good");
    expect(problems).toMatchObject([{ field: "rows" }]);
  });
});
