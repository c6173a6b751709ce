import { expect, test } from "vitest";
import { defineEntity, text } from "../../../src/index.ts";
import { Pair, stored } from "../places.ts";

test("a range that grows over several others returns their rows once", async () => {
  const { context } = await stored(...["a", "c", "e"].map((r) => new Pair({ p: "A", r })));

  const query = context
    .query(Pair)
    .where((b) =>
      b.p
        .eq("A")
        .and(b.r.in(["a", "c"]))
        .or(b.p.ge("A").and(b.r.eq("e"))),
    )
    .scan();

  expect((await query.toArray()).map((row) => row.r)).toEqual(["a", "c", "e"]);
});

test("nothing is less than empty text", async () => {
  class Two extends defineEntity({
    table: "Pairs",
    partitionKey: { p: text(), q: text() },
    rowKey: { r: text() },
    properties: {},
  }) {}
  const { context } = await stored(new Two({ p: "A", q: "", r: "x" }));

  expect(
    await context
      .query(Two)
      .where((b) => [b.p.eq("A"), b.q.lt("")])
      .count(),
  ).toBe(0);
  expect(
    await context
      .query(Two)
      .where((b) => [b.p.eq("A"), b.q.ge("").not()])
      .count(),
  ).toBe(0);
});

test("key text that no key can have matches nothing, and spoils no list", async () => {
  const { context } = await stored(new Pair({ p: "A", r: "a" }));

  expect(await context.query(Pair).where({ p: "A", r: "a/b" }).count()).toBe(0);
  expect(
    await context
      .query(Pair)
      .where((b) => [b.p.eq("A"), b.r.in(["a", "a/b", "x".repeat(600)])])
      .count(),
  ).toBe(1);
});

test("a long chain of alternatives is no deep tree, and equal ones are one list", async () => {
  const { context } = await stored(new Pair({ p: "p7", r: "x" }));
  const query = context.query(Pair).where((b) => {
    let any = b.p.eq("p0");
    for (let i = 1; i < 3000; i++) any = any.or(b.p.eq(`p${i}`));
    return any;
  });

  expect(query.explain().type).toBe("partition scan");
  expect(query.explain().requests).toHaveLength(3000);
});

test("many partitions times many rows fall back to whole partitions", async () => {
  const { context } = await stored();
  const many = Array.from({ length: 1500 }, (_, i) => String(i));

  expect(
    context
      .query(Pair)
      .where((b) => [b.p.in(many), b.r.in(many)])
      .explain().requests,
  ).toHaveLength(1500);
});
