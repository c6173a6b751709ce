import { startTableServer } from "@partita/server";
import { describe, expect, test } from "vitest";
import {
  createTables,
  defineEntity,
  double,
  int64,
  openStorage,
  TableContext,
  type TableStorage,
  text,
} from "../../src/index.ts";

class Price extends defineEntity({
  table: "Prices",
  partitionKey: { p: text() },
  rowKey: { id: text() },
  properties: { price: double(), views: int64(), note: text().optional() },
}) {}

/** The same, with conditions that are decided here. */
class Checked extends defineEntity({
  table: "Prices",
  partitionKey: { p: text() },
  rowKey: { id: text() },
  properties: { price: double().alsoReads("Edm.String"), views: int64().alsoReads("Edm.String") },
}) {}

async function stored(...rows: readonly Readonly<Record<string, string | number>>[]): Promise<TableStorage> {
  const storage = await openStorage("memory:");
  await createTables(storage, [Price]);
  for (const [i, row] of rows.entries())
    await storage.write("Prices", {
      type: "insert",
      entity: { PartitionKey: "p", RowKey: String(i), ...row },
    });
  return storage;
}

const doubles = [
  -2_147_483_649,
  -2_147_483_648.5,
  -2_147_483_648,
  -1.5,
  -1,
  -0.5,
  -0,
  0,
  0.5,
  1,
  4.5,
  5,
  5.5,
  2_147_483_646.5,
  2_147_483_647,
  2_147_483_647.5,
  2_147_483_648,
  1e300,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
];
const wholes = [
  -(2n ** 40n),
  -2_147_483_649n,
  -2_147_483_648n,
  -1n,
  0n,
  5n,
  2_147_483_647n,
  2_147_483_648n,
  2n ** 62n,
];
const int32s = [-2_147_483_648, -1, 0, 1, 4, 5, 2_147_483_647];

const operators = {
  eq: (a: number | bigint, b: number | bigint) => a === b,
  ne: (a: number | bigint, b: number | bigint) => a !== b,
  gt: (a: number | bigint, b: number | bigint) => a > b,
  ge: (a: number | bigint, b: number | bigint) => a >= b,
  lt: (a: number | bigint, b: number | bigint) => a < b,
  le: (a: number | bigint, b: number | bigint) => a <= b,
};
type Operator = keyof typeof operators;

const storedDouble = (value: number): Readonly<Record<string, string | number>> =>
  Number.isFinite(value) && !Object.is(value, -0)
    ? { "price@odata.type": "Edm.Double", price: value }
    : { "price@odata.type": "Edm.Double", price: Object.is(value, -0) ? "-0.0" : String(value) };

describe("conditions compare numbers by their value, whatever other clients stored them as", () => {
  const rows = [
    ...int32s.map((value) => ({ price: value, views: value })),
    ...doubles.map((value) => ({ ...storedDouble(value), views: 0 })),
    ...wholes.map((value) => ({ price: 0, "views@odata.type": "Edm.Int64", views: String(value) })),
  ];
  const prices = [...int32s, ...doubles, ...wholes.map(() => 0)];
  const views = [...int32s.map(BigInt), ...doubles.map(() => 0n), ...wholes];
  const idsWhere = (values: readonly (number | bigint)[], op: Operator, bound: number | bigint): string[] =>
    values.flatMap((value, i) => (operators[op](value, bound) ? [String(i)] : [])).toSorted();

  test.each(["memory", "REST"])("over %s", async (kind) => {
    await using memory = await stored(...rows);
    await using server = await startTableServer({ storage: memory });
    await using rest = await openStorage(server.connectionString);
    const storage = kind === "REST" ? rest : memory;
    let cells = 0;

    for (const entityClass of [Price, Checked] as readonly (typeof Price)[])
      for (const op of Object.keys(operators) as Operator[]) {
        for (const bound of doubles) {
          cells++;
          const query = new TableContext(storage).query(entityClass).where({ p: "p" });
          const found = await query.where((e) => e.price[op](bound)).toArray();
          expect([entityClass.name, op, bound, found.map(({ id }) => id).toSorted()]).toEqual([
            entityClass.name,
            op,
            bound,
            idsWhere(prices, op, bound),
          ]);
        }
        for (const bound of wholes) {
          cells++;
          const query = new TableContext(storage).query(entityClass).where({ p: "p" });
          const found = await query.where((e) => e.views[op](bound)).toArray();
          expect([entityClass.name, op, bound, found.map(({ id }) => id).toSorted()]).toEqual([
            entityClass.name,
            op,
            bound,
            idsWhere(views, op, bound),
          ]);
        }
      }
    expect(cells).toBe(2 * 6 * (doubles.length + wholes.length));
  });
});
