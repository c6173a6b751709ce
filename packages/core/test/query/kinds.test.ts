import { expect, test } from "vitest";
import { City, County, Left, Right, stored } from "./places.ts";

test("a kind in the key is filtered by name where the range does not say it", async () => {
  const { context } = await stored(
    new City({ country: "X", name: "a" }),
    new County({ country: "X", name: "a" }),
    new County({ country: "X", name: "b", x: 0 }),
  );

  expect(
    await context
      .query(City)
      .where((c) => c.name.in(["a", "b"]))
      .scan()
      .count(),
  ).toBe(1);
  expect(
    await context
      .query([City, County])
      .where((c) => c.x.eq(0))
      .scan()
      .count(),
  ).toBe(2);
});

test("a point read of another kind finds nothing in a query, and is told by find", async () => {
  const { context } = await stored(new Right({ country: "X", name: "2", x: 1 }));

  expect(await context.query(Left).where({ country: "X", name: "2" }).count()).toBe(0);
  await expect(context.find(Left, { country: "X", name: "2" })).rejects.toMatchObject({
    code: "kind.mismatch",
    message: expect.stringMatching(/requested as Left.*row of kind "Right"/) as string,
  });
});

test("kinds stay apart when a filter is too long for the service", async () => {
  const { context } = await stored(
    new Left({ country: "X", name: "1", x: 1 }),
    new Right({ country: "X", name: "2", x: 2 }),
  );
  const many = Array.from({ length: 20 }, (_, i) => i);

  expect(
    (
      await context
        .query([Left])
        .where((row) => [row.country.eq("X"), row.x.in(many)])
        .toArray()
    ).map((row) => row.name),
  ).toEqual(["1"]);
});
