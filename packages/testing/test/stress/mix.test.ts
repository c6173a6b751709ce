import { expect, test } from "vitest";
import { entitiesOfMix, mixOf } from "../../src/stress/run/mix.ts";

test("a mix is as even as whole calls can be, at any time", () => {
  const next = mixOf([0.8, 0.2]);
  const calls = Array.from({ length: 10 }, next);

  expect(calls.filter((load) => load === 1)).toHaveLength(2);
  expect(calls.slice(0, 5).filter((load) => load === 1)).toHaveLength(1);
});

test("shares need not add up to 1", () => {
  const next = mixOf([3, 1, 2]);
  const calls = Array.from({ length: 600 }, next);

  expect([0, 1, 2].map((load) => calls.filter((each) => each === load).length)).toEqual([300, 100, 200]);
});

test("a call of the mix returns what its loads do, by their shares", () => {
  expect(entitiesOfMix([0.8, 0.2], [10, 1])).toBeCloseTo(8.2);
  expect(entitiesOfMix([3, 1], [1, 5])).toBe(2);
});
