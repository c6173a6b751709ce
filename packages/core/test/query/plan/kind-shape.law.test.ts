import { fc } from "@fast-check/vitest";
import { expect, test } from "vitest";
import {
  bool,
  dateTime,
  defineEntity,
  defineKind,
  double,
  type EntityClass,
  int32,
  int64,
  odata,
  QueryError,
  text,
} from "../../../src/index.ts";
import {
  bucket,
  constant,
  descending,
  escaped,
  month,
  newestFirst,
  oldestFirst,
  padded,
} from "../../../src/keys.ts";
import { add, upgrades } from "../../../src/upgrades.ts";
import { kindChooser } from "../../../src/model/codec/choose-kind.ts";
import type { FilterNode } from "../../../src/values/filter/filter-node.ts";
import { modelOf } from "../../../src/model/declaration/model-registry.ts";
import type { PredicateLeaf, PredicateNode } from "../../../src/query/build/predicate-node.ts";
import { Conditions } from "../../../src/query/plan/conditions.ts";
import { planQuery } from "../../../src/query/plan/plan-query.ts";
import { shapeOfKind } from "../../../src/query/plan/kind-shape.ts";
import type { QueryPlan } from "../../../src/query/plan/query-plan.ts";

const at = new Date("2008-10-01T10:00:00Z");
const properties = {
  note: text(),
  stars: int32().default(0),
  price: double(),
  views: int64(),
  seen: dateTime(),
  isOpen: bool(),
};

class Post extends defineEntity({
  table: "Posts",
  partitionKey: { channel: text() },
  rowKey: { postedOn: newestFirst, author: text() },
  properties,
}) {}
class Order extends defineEntity({
  table: "Orders",
  partitionKey: { shop: escaped, year: padded(4) },
  rowKey: { number: constant("BIB:", padded(5)) },
  properties,
}) {}
class Visit extends defineEntity({
  table: "Visits",
  partitionKey: { channel: text(), at: month },
  rowKey: { at: oldestFirst, id: text() },
  properties,
}) {}
class Spread extends defineEntity({
  table: "Spreads",
  partitionKey: { author: bucket(4) },
  rowKey: { author: text(), rank: descending(padded(6)) },
  properties,
}) {}
class Older extends defineEntity({
  table: "Olders",
  partitionKey: { channel: text() },
  rowKey: { author: text() },
  properties: { note: text(), stars: int32() },
  version: upgrades({ note: text() }).to(2, add("stars", int32(), 3)),
}) {}
class Base extends defineEntity({
  table: "Kinds",
  partitionKey: { channel: text() },
  rowKey: {},
  properties,
}) {}
class Wide extends defineEntity({
  table: "Wides",
  partitionKey: { channel: text(), shop: text() },
  rowKey: { author: text(), rank: padded(6) },
  properties,
}) {}
class Item extends defineEntity({
  table: "Items",
  partitionKey: { channel: text() },
  rowKey: { author: text() },
  properties,
}) {}
class Photo extends defineKind(Item, { kind: "Photo", rowKey: { rank: padded(6) } }) {}
class Prefixed extends defineKind(Base, {
  kind: { name: "Prefixed", key: "prefix" },
  rowKey: { rank: padded(6), author: text() },
}) {}
class Named extends defineEntity({
  table: "Named",
  partitionKey: { channel: text() },
  rowKey: { author: text() },
  kind: "Named",
  properties,
}) {}
const classes = [
  Post,
  Order,
  Visit,
  Spread,
  Older,
  Base,
  Prefixed,
  Wide,
  Item,
  Photo,
  Named,
] as unknown as EntityClass[];

const texts = ["", "a", "a_b", "a/b", "b", "c\uffff", "é", "~", "BIB:00001", "x".repeat(600)];
const operand = fc.oneof(
  fc.constantFrom<unknown>(
    ...texts,
    0,
    7,
    -1,
    12_345,
    1.5,
    Number.NaN,
    7n,
    true,
    at,
    new Date(at.getTime() + 1),
  ),
  fc.constantFrom<unknown>(new Date(8.64e15), "4185404a-5818-48c3-b9be-f217df0dba6f", new Uint8Array(2)),
  fc.string({ unit: "binary-ascii", maxLength: 4 }),
  fc.date({ noInvalidDate: true }),
);
const names = [
  "channel",
  "author",
  "postedOn",
  "shop",
  "year",
  "number",
  "at",
  "id",
  "rank",
  ...Object.keys(properties),
];

const whole = fc.constantFrom<unknown>(0, 7, 2008, 12_345, 99_999, 1_000_000);
const time = fc.constantFrom<unknown>(at, new Date(at.getTime() + 1), new Date("1999-12-31T23:59:59.999Z"));
const word = fc.oneof(fc.constantFrom<unknown>(...texts), fc.string({ unit: "binary-ascii", maxLength: 3 }));
const typed: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  year: whole,
  number: whole,
  rank: whole,
  stars: whole,
  price: whole,
  postedOn: time,
  at: time,
  seen: time,
  views: fc.constantFrom(0n, 7n),
  isOpen: fc.boolean(),
};

/** What a property is compared with: mostly a value of its type. */
const operandOf = (property: string): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 15, arbitrary: typed[property] ?? word }, { weight: 1, arbitrary: operand });

const leafOf = (property: string): fc.Arbitrary<PredicateLeaf> =>
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc
        .record({ op: fc.constantFrom("eq", "ge", "gt", "le", "lt", "ne"), value: operandOf(property) })
        .map(({ op, value }) => ({ type: "compare", property, op: op as "eq", value }) as const),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(...texts).map((value) => ({ type: "startsWith", property, value }) as const),
    },
    {
      weight: 1,
      arbitrary: fc
        .array(operandOf(property), { maxLength: 3 })
        .map((values) => ({ type: "in", property, values }) as const),
    },
    { weight: 1, arbitrary: fc.constant({ type: "exists", property } as const) },
  );

const nodeOf = (own: readonly string[]): fc.Arbitrary<PredicateNode> => {
  const leaf = fc.constantFrom(...own).chain(leafOf);
  return fc.oneof(
    { weight: 9, arbitrary: leaf },
    { weight: 1, arbitrary: leaf.map((node) => ({ type: "not", node }) as const) },
    {
      weight: 1,
      arbitrary: fc
        .array(leaf, { minLength: 2, maxLength: 3 })
        .map((nodes) => ({ type: "or", nodes }) as const),
    },
  );
};

/** A class, and conditions on what it declares. */
const query = fc.constantFrom(...classes).chain((entityClass) => {
  const model = modelOf(entityClass);
  const declared = new Set([...model.keyProperties, ...model.properties].map(({ name }) => name));
  const own = names.filter((name) => declared.has(name));
  return fc.record({
    entityClass: fc.constant(entityClass),
    nodes: fc.array(nodeOf(own), { minLength: 1, maxLength: 5 }),
    raw: fc.option(fc.constant(odata`note eq ${"x"}`.node), { nil: undefined, freq: 8 }),
    isPartial: fc.boolean(),
  });
});

interface Asked {
  readonly entityClass: EntityClass;
  readonly nodes: readonly PredicateNode[];
  readonly raw: FilterNode | undefined;
  readonly isPartial: boolean;
}

/** A plan as text, or what refused it: the order of members counts, since page tokens are made of plans. */
function planned({ entityClass, nodes, raw, isPartial }: Asked, model = modelOf(entityClass)): string {
  const chooser = kindChooser([entityClass]);
  try {
    const predicate = new Conditions().and(nodes).for(model);
    return printed(planQuery(chooser, [{ model, predicate, isPartial }], raw));
  } catch (error) {
    return `${String(error)} ${(error as { code?: string }).code}`;
  }
}

/** The same for a model that remembers nothing. */
const plannedAnew = (asked: Asked): string => planned(asked, { ...modelOf(asked.entityClass) });

const printed = (plan: QueryPlan): string =>
  JSON.stringify(plan, (_name, value: unknown) => {
    if (typeof value === "bigint") return `${value}n`;
    return typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
  });

test("a plan of a remembered shape is the plan that is made anew", () => {
  fc.assert(
    fc.property(query, (asked) => {
      expect(planned(asked)).toBe(plannedAnew(asked));
    }),
    { numRuns: 10_000 },
  );
});

/** The same question with other operands, of which some change what the plan looks like. */
function withOperands(nodes: readonly PredicateNode[], next: () => unknown): readonly PredicateNode[] {
  return nodes.map((node): PredicateNode => {
    if (node.type === "and" || node.type === "or") return { ...node, nodes: withOperands(node.nodes, next) };
    if (node.type === "not")
      return { type: "not", node: withOperands([node.node], next)[0] as PredicateNode };
    if (node.type === "in") return { ...node, values: [next(), next()].slice(0, Number(next() !== "") * 2) };
    return node.type === "compare" ? { ...node, value: next() } : node;
  });
}

test("operands that one query had are in no plan of the next", () => {
  fc.assert(
    fc.property(query, fc.array(operand, { minLength: 30, maxLength: 30 }), (asked, operands) => {
      planned(asked);
      let next = 0;
      const other = { ...asked, nodes: withOperands(asked.nodes, () => operands[next++ % operands.length]) };
      expect(planned(other)).toBe(plannedAnew(other));
    }),
    { numRuns: 5_000 },
  );
});

const is = (property: string, op: "eq" | "ge" | "lt", value: unknown): PredicateLeaf => ({
  type: "compare",
  property,
  op,
  value,
});

/** The shape that a class remembers of a query. */
function rememberedOf(entityClass: EntityClass, nodes: readonly PredicateNode[]): unknown {
  const model = { ...modelOf(entityClass) };
  const { kinds } = kindChooser([entityClass]);
  const shapeOf = (): unknown => shapeOfKind(model, new Conditions().and(nodes).for(model), kinds).shape;
  const first = shapeOf();
  return shapeOf() === first ? first : undefined;
}

test("every query of usual length has a shape that is remembered", () => {
  fc.assert(
    fc.property(query, ({ entityClass, nodes, isPartial: _isPartial }) => {
      try {
        expect(rememberedOf(entityClass, nodes)).toBeDefined();
      } catch (error) {
        // An operand of another type is refused before anything is planned.
        if (!QueryError.is(error)) throw error;
      }
    }),
  );
});

test("a query of more alternatives than are planned is planned anew each time", () => {
  const choices = (property: string) => ({
    type: "or" as const,
    nodes: Array.from({ length: 20 }, (_, i) => ({
      type: "and" as const,
      nodes: [is(property, "ge", `${i}a`), is(property, "lt", `${i}b`)],
    })),
  });
  const nodes = [choices("channel"), choices("author")];
  const asked = { entityClass: Item as unknown as EntityClass, nodes, raw: undefined, isPartial: false };

  expect(rememberedOf(asked.entityClass, nodes)).toBeUndefined();
  expect(planned(asked)).toBe(plannedAnew(asked));
});

test("a query that fixes both keys is a point read, whatever else it asks", () => {
  const plan = (entityClass: EntityClass, ...nodes: PredicateNode[]): QueryPlan => {
    const model = modelOf(entityClass);
    const predicate = new Conditions().and(nodes).for(model);
    return planQuery(kindChooser([entityClass]), [{ model, predicate }]);
  };
  const [channel, author, stars] = [is("channel", "eq", "c"), is("author", "eq", "a"), is("stars", "ge", 3)];

  expect(plan(Older, channel, author)).toMatchObject({ type: "point", requests: [{ needsCheck: false }] });
  expect(plan(Older, channel, author, stars)).toMatchObject({
    type: "point",
    requests: [{ needsCheck: true, rest: [{ type: "and", nodes: [stars] }] }],
  });
  // A range that is one text fixes the key as well.
  expect(
    plan(Older, channel, is("author", "ge", "a"), { ...is("author", "eq", "a"), op: "le" } as PredicateNode),
  ).toMatchObject({ type: "point" });
  // Text that no key can have: nothing is read.
  expect(plan(Older, channel, is("author", "eq", "a/b")).requests).toEqual([]);
  expect(plan(Older, channel, is("author", "eq", "x".repeat(600))).requests).toEqual([]);
});

test("a kind that is declared after its base was asked for is planned for", () => {
  class Thing extends defineEntity({
    table: "Things",
    partitionKey: { channel: text() },
    rowKey: { id: text() },
    properties: {},
  }) {}
  const asked = (entityClass: EntityClass): Asked => ({
    entityClass,
    nodes: ["channel", "id"].map((property) => ({ type: "compare", property, op: "eq", value: "c" })),
    raw: undefined,
    isPartial: false,
  });
  planned(asked(Thing));
  class Gadget extends defineKind(Thing, { kind: "Gadget", properties: { size: int32() } }) {}

  expect(planned(asked(Thing))).toBe(plannedAnew(asked(Thing)));
  expect(planned(asked(Gadget))).toBe(plannedAnew(asked(Gadget)));
});

test("more shapes than are remembered are planned as well", () => {
  const names = ["stars", "price", "seen", "views"];
  const operators = ["eq", "ne", "ge", "gt", "le", "lt"] as const;
  const value = { stars: 1, price: 1.5, seen: at, views: 1n } as Readonly<Record<string, unknown>>;
  const shapes = names.flatMap((first) =>
    names.flatMap((second) => operators.map((op) => [first, second, op] as const)),
  );
  for (const [first, second, op] of [...shapes, ...shapes.toReversed(), ...shapes]) {
    const nodes: PredicateNode[] = [
      { type: "compare", property: "channel", op: "eq", value: "c" },
      { type: "compare", property: first, op, value: value[first] },
      { type: "compare", property: second, op: "eq", value: value[second] },
    ];
    const asked = { entityClass: Post as unknown as EntityClass, nodes, raw: undefined, isPartial: false };
    expect(planned(asked)).toBe(plannedAnew(asked));
  }
});
