import { fc, test as propertyTest } from "@fast-check/vitest";
import { legalKey } from "@partita/testing";
import { expect } from "vitest";
import {
  createTables,
  dateTime,
  defineEntity,
  descending,
  double,
  int32,
  int64,
  newestFirst,
  openStorage,
  padded,
  type Predicate,
  TableContext,
  text,
} from "../../src/index.ts";

// The law: a query returns exactly the entities for which the predicate is true, each once, in key order. Absent
// values compare false, `not` is two-valued, a declared default counts as the value.

const small = fc.constantFrom("", "A", "A1", "a", "_", "`", "é", "\u{10000}", "\uffff");
const plainPart = legalKey(3).map((part) => part.replaceAll("_", "-"));

class Row extends defineEntity({
  table: "Rows",
  partitionKey: { tenant: text(), shard: padded(1) },
  rowKey: { score: descending(padded(2)), at: newestFirst, name: text() },
  properties: {
    title: text().optional(),
    count: int32().default(2),
    weight: double().optional(),
    big: int64().optional(),
    seen: dateTime().optional(),
  },
}) {}

const dates = fc.integer({ min: 0, max: 5 }).map((n) => new Date(n * 1000));
const domains = {
  tenant: fc.oneof(
    small.map((s) => s.replaceAll("_", "-")),
    plainPart,
  ),
  shard: fc.nat(3),
  score: fc.nat(5),
  at: dates,
  name: fc.oneof(small, legalKey(3)),
  title: small,
  count: fc.nat(4),
  weight: fc.constantFrom(0, 1, 1.5, -1, 7, Number.NaN, Number.POSITIVE_INFINITY),
  big: fc.constantFrom(0n, 2n ** 53n + 1n, -1n),
  seen: dates,
} as const;
type Name = keyof typeof domains;
const names = Object.keys(domains) as Name[];

type Tree =
  | { readonly op: "eq" | "ne" | "gt" | "ge" | "lt" | "le"; readonly name: Name; readonly value: unknown }
  | { readonly op: "in"; readonly name: Name; readonly values: readonly unknown[] }
  | { readonly op: "startsWith"; readonly name: "tenant" | "name" | "title"; readonly value: string }
  | { readonly op: "exists"; readonly name: Name }
  | { readonly op: "and" | "or"; readonly nodes: readonly Tree[] }
  | { readonly op: "not"; readonly node: Tree };

const leaf: fc.Arbitrary<Tree> = fc.constantFrom(...names).chain((name): fc.Arbitrary<Tree> => {
  const value = domains[name] as fc.Arbitrary<unknown>;
  return fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        op: fc.constantFrom("eq", "ne", "gt", "ge", "lt", "le"),
        name: fc.constant(name),
        value,
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        op: fc.constant("in"),
        name: fc.constant(name),
        values: fc.array(value, { maxLength: 4 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ op: fc.constant("exists"), name: fc.constant(name) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        op: fc.constant("startsWith"),
        name: fc.constantFrom("tenant", "name", "title"),
        value: small,
      }),
    },
  ) as fc.Arbitrary<Tree>;
});

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaf,
    fc.record({
      op: fc.constantFrom("and", "or"),
      nodes: fc.array(tie("tree"), { minLength: 1, maxLength: 3 }),
    }) as fc.Arbitrary<Tree>,
    fc.record({ op: fc.constant("not"), node: tie("tree") }) as fc.Arbitrary<Tree>,
  ),
}));

type Comparable = string | number | bigint;
const plain = (value: unknown): Comparable | undefined =>
  value instanceof Date ? value.getTime() : (value as Comparable | undefined);

/** What the predicate means, said once more and simply. */
function holds(node: Tree, row: Row): boolean {
  switch (node.op) {
    case "and":
      return node.nodes.every((child) => holds(child, row));
    case "or":
      return node.nodes.some((child) => holds(child, row));
    case "not":
      return !holds(node.node, row);
    default: {
      const value = plain(row[node.name]);
      if (value === undefined) return false;
      if (node.op === "exists") return true;
      if (node.op === "in") return node.values.some((candidate) => plain(candidate) === value);
      const other = plain(node.value) as Comparable;
      if (node.op === "startsWith") return (value as string).startsWith(other as string);
      return {
        eq: value === other,
        ne: value !== other,
        gt: value > other,
        ge: value >= other,
        lt: value < other,
        le: value <= other,
      }[node.op];
    }
  }
}

interface AnyColumn extends Record<string, (...args: unknown[]) => Predicate> {}

function build(node: Tree, columns: Record<Name, AnyColumn>): Predicate {
  switch (node.op) {
    case "and":
    case "or": {
      const [first, ...others] = node.nodes.map((child) => build(child, columns));
      return (first as Predicate)[node.op](...others);
    }
    case "not":
      return build(node.node, columns).not();
    case "in":
      return columns[node.name]["in"]?.(node.values) as Predicate;
    case "exists":
      return columns[node.name]["exists"]?.() as Predicate;
    default:
      return columns[node.name][node.op]?.(node.value) as Predicate;
  }
}

const entity = fc.record(
  { ...domains },
  { requiredKeys: ["tenant", "shard", "score", "at", "name"] },
) as fc.Arbitrary<ConstructorParameters<typeof Row>[0] & { tenant: string }>;

const storage = await openStorage("memory:");
await createTables(storage, [Row]);
const byUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

propertyTest.prop([fc.array(entity, { maxLength: 25 }), fc.array(tree, { minLength: 1, maxLength: 12 })], {
  numRuns: 400,
})(
  "a query returns exactly what its predicate says, each once, in key order",
  async (rows, trees) => {
    await storage.deleteTable("Rows");
    await createTables(storage, [Row]);
    const writer = new TableContext(storage);
    for (const values of rows) {
      try {
        writer.add(new Row(values));
      } catch (error) {
        if ((error as { code?: string }).code !== "entity.duplicate-key") throw error;
      }
    }
    await writer.saveChanges();
    const context = new TableContext(storage);
    const everything = await context.query(Row).scan().toArray();
    expect(everything).toHaveLength(writer.size);

    for (const node of trees) {
      const query = context
        .query(Row)
        .where((columns) => build(node, columns as never))
        .scan();
      const expected = everything.filter((row) => holds(node, row));
      const found = await query.toArray();

      expect(
        found,
        `${JSON.stringify(node, (_k, v: unknown) => (typeof v === "bigint" ? `${v}n` : v))}\n${String(query.explain())}`,
      ).toEqual(expected);
      expect(await query.count()).toBe(expected.length);
      expect(await query.take(2).toArray()).toEqual(expected.slice(0, 2));
      const paged: Row[] = [];
      let after: Parameters<typeof query.page>[0]["after"];
      do {
        const page = await query.page({ size: 3, ...(after !== undefined && { after }) });
        paged.push(...page.entities);
        after = page.next;
      } while (after !== undefined);
      expect(paged).toEqual(expected);
    }
  },
  120_000,
);

propertyTest.prop([fc.array(fc.tuple(legalKey(), legalKey()), { maxLength: 60 })], { numRuns: 100 })(
  "entities come in UTF-16 order of their keys",
  async (keys) => {
    class Plain extends defineEntity({
      table: "Plain",
      partitionKey: { pk: text() },
      rowKey: { rk: text() },
      properties: {},
    }) {}
    await using own = await openStorage("memory:");
    await createTables(own, [Plain]);
    const writer = new TableContext(own);
    const unique = [...new Map(keys.map((key) => [key.join("\0"), key])).values()];
    for (const [pk, rk] of unique) writer.add(new Plain({ pk, rk }));
    await writer.saveChanges();

    const found = await new TableContext(own).query(Plain).scan().toArray();

    expect(found.map((row) => [row.pk, row.rk])).toEqual(
      [...unique].sort((a, b) => byUnits(a[0], b[0]) || byUnits(a[1], b[1])),
    );
  },
);
