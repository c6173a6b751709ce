import { expect, test } from "vitest";
import type { Query } from "../../src/index.ts";
import { Pair, stored } from "./places.ts";

test("a page token is good for its own query only", async () => {
  const { context } = await stored(...["a", "b", "c"].map((r) => new Pair({ p: "A", r })));
  const query = (other: string): Query<Pair> =>
    context.query(Pair).where((b) => [b.p.eq("A"), b.r.ne(other)]);
  const { next } = await query("x").page({ size: 1 });

  await expect(query("y").page({ size: 1, after: next as never })).rejects.toMatchObject({
    code: "query.foreign-token",
  });
  await expect(
    query("x")
      .take(2)
      .page({ size: 1, after: next as never }),
  ).rejects.toMatchObject({ code: "query.foreign-token" });
  await expect(query("x").page({ size: 1, after: `${next}x` as never })).rejects.toMatchObject({
    code: "query.foreign-token",
  });
  expect((await query("x").page({ size: 5, after: next as never })).entities).toHaveLength(2);
});
