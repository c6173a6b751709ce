import { expect, test } from "vitest";
import {
  defineEntity,
  defineKind,
  int32,
  openStorage,
  type Query,
  TableContext,
  text,
} from "../../../src/index.ts";
import { findOperator } from "../../../src/query/build/find-operator.ts";

class Entry extends defineEntity({
  table: "Entries",
  partitionKey: { channel: text() },
  rowKey: { id: text() },
  properties: { text: text(), rating: int32() },
}) {}
class Note extends defineKind(Entry, { kind: "Note", properties: {} }) {}

const context = new TableContext(await openStorage("memory:"));
const entries: Query<Entry> = context.query(Entry);

function errorOf(action: () => unknown): { code: string; message: string; details: object } | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    return error as { code: string; message: string; details: object };
  }
}

// oxlint-disable-next-line typescript/no-explicit-any -- the compiler refuses most of these callbacks
type Loose = any;
/** By operator: those that only the source shows, and those that only a value shows. */
const operators: readonly (readonly [operator: string, callback: (b: Loose) => unknown])[] = [
  ["||", (b) => b.channel.eq("a") || b.channel.eq("secret")],
  ["||", (b) => !b.channel.eq("a") || b.channel.eq("secret")],
  ["??", (b) => b.channel.eq("a") ?? b.channel.eq("secret")],
  ["!==", (b) => b.rating !== 3 && b.channel.eq("secret")],
  ["===", (b) => 3 === b.rating || b.channel.eq("secret")],
  ["!", (b) => !b.rating || b.channel.eq("secret")],
  ["&&", (b) => b.rating && b.channel.eq("secret")],
  ["||", (b) => b.rating || b.channel.eq("secret")],
  ["?", (b) => (b.rating ? b.channel.eq("secret") : b.text.eq("x"))],
  ["==", (b) => b.rating == 3 || b.channel.eq("secret")],
  ["comparison or arithmetic", (b) => b.rating > 3 || b.channel.eq("secret")],
  ["comparison or arithmetic", (b) => [b][0].rating <= 3 || b.channel.eq("secret")],
  ["comparison or arithmetic", (b) => [b][0].rating == 3 || b.channel.eq("secret")],
  ["comparison or arithmetic", (b) => [b][0].channel.eq("secret") > b.channel.eq("a")],
  ["comparison or arithmetic", (b) => b.channel.eq(b.rating + 1)],
];
const wanted = 0;

test.each(operators)(
  "%s on a condition is an error, with the remedy and without values: %s",
  (operator, callback) => {
    const error = errorOf(() => entries.where(callback as never));

    expect(error).toMatchObject({ code: "query.condition-operator", details: { operator } });
    expect(error?.message).toMatch(/^A callback of where\(\).*(Write a\.|with methods|value of your own)/);
    expect(error?.message).not.toContain("secret");
  },
);

test.each<[string, (b: Loose) => unknown]>([
  ["&&", (b) => b.channel.eq("a") && b.channel.eq("b")],
  ["a choice", (b) => (b.channel.eq("a") ? b.text.eq("x") : b.text.eq("y"))],
])("a condition that %s drops is an error", (_, callback) => {
  expect(errorOf(() => entries.where(callback as never))?.code).toBe("query.predicate-dropped");
});

test.each<[string, (b: Loose) => unknown]>([
  ["!", (b) => !b.channel.eq("a")],
  ["===", (b) => b.channel.eq("a") === true],
])("a boolean that %s makes is an error", (_, callback) => {
  expect(errorOf(() => entries.where(callback as never))?.code).toBe("query.not-a-predicate");
});

test("the error of what the source shows names the line of where(), however often it is called", () => {
  for (let i = 0; i < 3; i++)
    expect(errorOf(() => entries.where((b) => b.rating.eq(i) || b.text.eq("x")))?.message).toMatch(
      /where\(\) at .*condition-operators\.test\.ts:\d+:\d+.*Write a\.or\(b\)/,
    );
});

test("whereKind() is named as such", () => {
  const query = context.query([Entry, Note]);
  const error = errorOf(() => query.whereKind(Note, (n) => n.text.eq("note") || n.rating.ge(3)));

  expect(error?.message).toContain("A callback of whereKind()");
});

test("callbacks that drop nothing are accepted", () => {
  const accepted = [
    entries.where((b) => b.rating.eq(wanted || 3).or(b.text.startsWith("x"))),
    entries.where((b) => b.text && b.text.eq(wanted === 0 ? "x" : "y")),
    entries.where((b) => (wanted > 0 ? b.text.eq("x") : b.text.eq("y"))),
    entries.where({ channel: String(wanted || "y") }),
  ];

  expect(accepted.map((query) => typeof query.explain)).toEqual(accepted.map(() => "function"));
});

const misused = [
  "(b) => b.a.eq(1) || b.c.eq(2)",
  "b => b.a.eq(1)||b.c.eq(2)",
  "b=>b.a.eq(f(x)||0)||b.c.in([1,2])",
  "function (b) {\n  return b.a.eq(1)\n    || b.c.eq(2);\n}",
  "function byName(b) { return b.a.eq(1).and(b.d.exists()) || !b.c.eq(2); }",
  "byName(b, extra) { return b.a.eq(1).not() || (b.c.eq(2)); }",
  "(b) => [b.a.eq(1), b.d.eq('x') || b.c.eq(2)]",
  "(b) => isAdmin ? b.a.eq(1) || b.c.eq(2) : b.d.exists()",
  "(b) => b.d.eq(1).and(b.a.eq(1) || b.c.eq(2))",
  "(b) => b.a.eq(1) || b.c.eq(2) || b.d.eq(3)",
  "(b) => b.a.eq(1) ?? b.c.eq(2)",
  "($b) => $b.a.eq(1) || $b.c.eq(2)",
  "(b) => b.a.eq(`${x || `}`}`) || b.c.eq(2)",
  "(b) => b.a === 1",
  "(b) => 1 === b.a",
  "(b) => b.a == 1 || b.c.eq(2)",
  "(b) => !b.a",
  "(b) => b.d.eq(1).and(!b.a)",
  "(b) => b.a && b.c.eq(1)",
  "(b) => b.a ? b.c.eq(1) : b.d.eq(2)",
];

const innocent = [
  "(b) => b.a.eq(1).or(b.c.eq(2))",
  "(b) => b.a.eq(x || y)",
  "(b) => b.a.eq(other.c.eq(1) || other.d.eq(2))",
  "(b) => b.a.eq('b.a.eq(1) || b.c.eq(2)')",
  "(b) => b.a.eq(`b.a.eq(1) || b.c.eq(2) ${`b.a.eq(1) || b.c.eq(2)`}`)",
  "(b) => /* b.a.eq(1) || b.c.eq(2) */ b.a.eq(1)",
  "(b) => b.a.eq(1) // || b.c.eq(2)",
  "(b) => b.a.eq(text.replace(/b.a.eq(1) || b.c.eq(2)/, ''))",
  // A choice, as some write it.
  "(b) => (isAdmin && b.a.eq(1)) || b.c.eq(2)",
  "(b) => isAdmin && b.a.eq(1) || b.c.eq(2)",
  "(b) => (x ? b.a.eq(1) : undefined) || b.c.eq(2)",
  "(b) => b.a && b.a.eq(1)",
  "(b) => filter.a && b.a.eq(1)",
  "(b) => filter.a ? b.a.eq(1) : b.c.eq(2)",
  "(b) => optional(b.a, x) ?? b.c.eq(2)",
  "({ a }) => a && a.eq(1)",
  "(b) => b.a?.eq(1)",
  "(b) => b.a.eq(x === y ? 1 : 2)",
  "(b) => (x !== 1 ? b.a.eq(1) : b.c.eq(2))",
  "(b) => { for (const b of list) if (b.a === 1) return b.a; }",
  "(b) => x.b.a === 1 && !x.b.a",
  // The name means something else inside.
  "(b) => b.a.in(list.filter((b) => b.a.eq(1) || b.c.eq(2)))",
  "(b) => b.a.in(list.filter(function (x, b) { return b.a.eq(1) || b.c.eq(2); }))",
  "(b) => b.a.in(list.filter(b => b.a.eq(1) || b.c.eq(2)))",
  "(b) => c.a.eq(1) || c.c.eq(2)",
  "(b) => x.b.a.eq(1) || x.b.c.eq(2)",
  "({ a }) => x.a.eq(1) || x.a.eq(2)",
  "() => b.a.eq(1) || b.c.eq(2)",
  "function () { [native code] }",
  "class { }",
  "(b) => b.a.eq(1) || 'unclosed",
  "(b) => b.a.eq(1)) || b.c.eq(2",
  "",
];

test.each(misused)("finds an operator: %s", (source) => {
  expect(findOperator(source)).toMatch(/^(\|\||\?\?|&&|!|\?|[!=]==?)$/);
});

test.each(innocent)("finds none: %s", (source) => {
  expect(findOperator(source)).toBeUndefined();
});

test("long texts take little time", () => {
  const parts = ["(", " ", "b.a ", " !b.a.eq(1)", "b.a.eq(1).or(b.c.eq(2)), ", "b.a.eq(1).and("];

  for (const part of parts) expect(findOperator(`(b) => ${part.repeat(2_000)} || b`)).toBeUndefined();
});
