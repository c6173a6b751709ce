import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  defineEntity,
  defineKind,
  int32,
  openStorage,
  type Predicate,
  type Query,
  TableContext,
  text,
} from "../../../src/index.ts";
import { dropsConditions } from "../../../src/query/build/drops-conditions.ts";

class Entry extends defineEntity({
  table: "Entries",
  partitionKey: { channel: text() },
  rowKey: { id: text() },
  properties: { text: text(), rating: int32() },
}) {}
class Note extends defineKind(Entry, { kind: "Note", properties: {} }) {}

const context = new TableContext(await openStorage("memory:"));
const entries: Query<Entry> = context.query(Entry);

const warnings = vi.spyOn(process, "emitWarning");
beforeEach(() => void warnings.mockReset().mockImplementation(() => undefined));
afterEach(() => void warnings.mockReset());

test("a callback that joins conditions by || is warned of, with the line and the remedy", () => {
  entries.where((b) => b.channel.eq("a") || b.channel.eq("secret"));

  expect(warnings).toHaveBeenCalledTimes(1);
  const [message, options] = warnings.mock.calls[0] as unknown as [string, object];
  expect(options).toEqual({ type: "PartitaWarning", code: "PARTITA_WHERE_OR" });
  expect(message).toMatch(/callback of where\(\).*dropped-conditions\.test\.ts:\d+:\d+.*Write a\.or\(b\)/);
  expect(message).not.toContain("secret");
});

test("once for each callback, however often its query is made", () => {
  const byText = (b: { text: { eq(value: string): Predicate } }): Predicate =>
    b.text.eq("1") || b.text.eq("2");
  for (let i = 0; i < 3; i++) {
    entries.where(byText);
    entries.where((b) => b.rating.eq(i) || b.text.eq("x"));
  }

  expect(warnings).toHaveBeenCalledTimes(2);
});

test("whereKind() is named as such", () => {
  context.query([Entry, Note]).whereKind(Note, (n) => n.text.eq("note") || n.rating.ge(3));

  expect(warnings.mock.calls).toMatchObject([
    [expect.stringContaining("A callback of whereKind()"), { code: "PARTITA_WHERE_OR" }],
  ]);
});

test("callbacks that drop nothing are not warned of", () => {
  const wanted = 0;
  entries.where((b) => b.rating.eq(wanted || 3).or(b.text.startsWith("x")));
  entries.where({ channel: String(wanted || "y") });

  expect(warnings).not.toHaveBeenCalled();
});

const dropping = [
  "(b) => b.a.eq(1) || b.c.eq(2)",
  "b => b.a.eq(1)||b.c.eq(2)",
  "b=>b.a.eq(f(x)||0)||b.c.in([1,2])",
  "function (b) {\n  return b.a.eq(1)\n    // or\n    || b.c.eq(2);\n}",
  "function byName(b) { return b.a.eq(1).and(b.d.exists()) || !b.c.eq(2); }",
  "byName(b, extra) { return b.a.eq(1).not() || (b.c.eq(2)); }",
  "({ a, b: c }) => a.eq(1) || c.eq(2)",
  "(b) => [b.a.eq(1), b.d.eq('x') || b.c.eq(2)]",
  "(b) => isAdmin ? b.a.eq(1) || b.c.eq(2) : b.d.exists()",
  "(b) => b.d.eq(1).and(b.a.eq(1) || b.c.eq(2))",
  "(b) => b.a.eq(1) ?? b.c.eq(2)",
  "($b) => $b.a.eq(/[/)]||/.test(x)) || $b.c.eq(2)",
  "(b) => b.a.eq(`${x || `}`}`) || b.c.eq(2)",
  "(b) => names.map((n) => b.a.eq(n) || b.c.eq(n))",
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
  // These are errors already.
  "(b) => b.a.eq(1) && b.c.eq(2)",
  "(b) => !b.a.eq(1) || b.c.eq(2)",
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

test.each(dropping)("drops a condition: %s", (source) => {
  expect(dropsConditions(source)).toBe(true);
});

test.each(innocent)("drops none: %s", (source) => {
  expect(dropsConditions(source)).toBe(false);
});

test("no text is too strange to be looked at", () => {
  for (const source of [...dropping, ...innocent])
    for (let end = 0; end <= source.length; end++) {
      expect(typeof dropsConditions(source.slice(0, end))).toBe("boolean");
      expect(typeof dropsConditions(source.slice(end))).toBe("boolean");
    }
});
