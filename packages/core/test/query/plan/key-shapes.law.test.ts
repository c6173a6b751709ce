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
import { kindChooser } from "../../../src/codec/choose-kind.ts";
import type { FilterNode } from "../../../src/filter/filter-node.ts";
import { modelOf } from "../../../src/model/model-registry.ts";
import type { PredicateLeaf, PredicateNode } from "../../../src/query/build/predicate-node.ts";
import { Conditions } from "../../../src/query/plan/conditions.ts";
import { bindShape } from "../../../src/query/plan/key-shapes.ts";
import { planInFull, planQuery } from "../../../src/query/plan/plan-query.ts";
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

/** A plan as text, and what refused it: the order of members counts, since page tokens are made of plans. */
function planned({ entityClass, nodes, raw, isPartial }: Asked, plan: typeof planQuery): string {
  const chooser = kindChooser([entityClass]);
  const model = modelOf(entityClass);
  try {
    const predicate = new Conditions().and(nodes).for(model);
    return printed(plan(chooser, [{ model, predicate, isPartial }], raw));
  } catch (error) {
    return `${String(error)} ${(error as { code?: string }).code}`;
  }
}

const printed = (plan: QueryPlan): string =>
  JSON.stringify(plan, (_name, value: unknown) => {
    if (typeof value === "bigint") return `${value}n`;
    return typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
  });

const inFull: typeof planQuery = (chooser, kinds, raw) => planInFull(chooser, kinds, raw);

test("a plan of a known shape is the plan that is made anew", () => {
  fc.assert(
    fc.property(query, (asked) => {
      expect(planned(asked, planQuery)).toBe(planned(asked, inFull));
    }),
    { numRuns: 10_000 },
  );
});

test("operands that one query had are in no plan of the next", () => {
  fc.assert(
    fc.property(query, fc.array(operand, { minLength: 10, maxLength: 10 }), (asked, operands) => {
      planned(asked, planQuery);
      let next = 0;
      const nodes = asked.nodes.map((node) =>
        node.type === "compare" ? { ...node, value: operands[next++] } : node,
      );
      const other = { ...asked, nodes };
      expect(planned(other, planQuery)).toBe(planned(other, inFull));
    }),
    { numRuns: 5_000 },
  );
});

test("what most queries are has a shape that is remembered", () => {
  const isBound = (entityClass: EntityClass, ...nodes: PredicateNode[]): boolean => {
    const model = modelOf(entityClass);
    return bindShape({ model, predicate: new Conditions().and(nodes).for(model) }) !== undefined;
  };
  const is = (property: string, op: "eq" | "ge" | "lt", value: unknown): PredicateLeaf => ({
    type: "compare",
    property,
    op,
    value,
  });
  const [channel, author] = [is("channel", "eq", "c"), is("author", "eq", "a")];

  expect(isBound(Post, channel)).toBe(true);
  expect(isBound(Post, channel, is("postedOn", "eq", at), author)).toBe(true);
  expect(isBound(Post, channel, is("postedOn", "ge", at), is("stars", "ge", 3))).toBe(true);
  expect(isBound(Post, is("channel", "ge", "a"), is("channel", "lt", "c"))).toBe(true);
  expect(isBound(Prefixed, channel, is("rank", "eq", 3))).toBe(true);
  expect(isBound(Older, channel, is("stars", "eq", 3))).toBe(true);
  expect(isBound(Named, channel, author)).toBe(true);

  // A range that is one text, one that holds nothing, and one of which rows must be checked again.
  expect(isBound(Named, channel, is("author", "ge", ""))).toBe(false);
  expect(isBound(Named, channel, is("author", "ge", "b"), is("author", "lt", "a"))).toBe(false);
  expect(isBound(Base, channel)).toBe(false);
  expect(isBound(Visit, channel)).toBe(false);
  expect(isBound(Post, is("stars", "eq", 3))).toBe(false);
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
  planned(asked(Thing), planQuery);
  class Gadget extends defineKind(Thing, { kind: "Gadget", properties: { size: int32() } }) {}

  expect(planned(asked(Thing), planQuery)).toBe(planned(asked(Thing), inFull));
  expect(planned(asked(Gadget), planQuery)).toBe(planned(asked(Gadget), inFull));
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
    expect(planned(asked, planQuery)).toBe(planned(asked, inFull));
  }
});
