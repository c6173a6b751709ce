import fc from "fast-check";
import { isLong } from "@partita/test-support/effort";
import { expect, test } from "vitest";
import {
  type Invocation,
  isLinearizable,
  type SequentialObject,
} from "../../src/simulation/checks/linearize.ts";

/** A register that begins with 0. */
const register: SequentialObject<number> = {
  initial: 0,
  print: String,
  apply(state, { operation, value, result }) {
    if (operation === "write") return { state: Number(value) };
    return state === result ? { state } : undefined;
  },
};

const invocation = fc
  .record({
    operation: fc.constantFrom("read", "write"),
    value: fc.integer({ min: 0, max: 2 }),
    began: fc.integer({ min: 0, max: 8 }),
    takes: fc.option(fc.integer({ min: 1, max: 6 }), { freq: 4 }),
  })
  .map(({ operation, value, began, takes }): Invocation => ({
    operation,
    value,
    result: value,
    began,
    // Of a read without an answer nothing is known.
    ended: takes === null && operation === "write" ? Number.POSITIVE_INFINITY : began + (takes ?? 1) + 0.5,
  }));

/** The definition itself: some order, with or without each operation whose end is not known, fits. */
function fitsSomeOrder(operations: readonly Invocation[]): boolean {
  const fits = (left: readonly Invocation[], state: number): boolean =>
    left.every(({ ended }) => ended === Number.POSITIVE_INFINITY) ||
    left.some((next) => {
      const others = left.filter((other) => other !== next);
      if (others.some(({ ended }) => ended < next.began)) return false;
      const after = register.apply(state, next);
      return after !== undefined && fits(others, after.state);
    });
  return fits(operations, register.initial);
}

test("finds an order exactly where there is one", () => {
  let [linearizable, runs] = [0, 0];
  fc.assert(
    fc.property(fc.array(invocation, { maxLength: 7 }), (operations) => {
      const expected = fitsSomeOrder(operations);
      runs++;
      if (expected) linearizable++;
      expect(isLinearizable(register, operations)).toBe(expected);
    }),
    { numRuns: isLong ? 100_000 : 2000 },
  );
  expect(linearizable).toBeGreaterThan(runs / 10);
  expect(linearizable).toBeLessThan((9 * runs) / 10);
});

test("remembers what it has tried: writers side by side do not take it longer than they are many", () => {
  const writes = Array.from({ length: 14 }, (_, i) => ({
    operation: "write",
    value: i % 2,
    result: undefined,
    began: 0,
    ended: 100,
  }));
  const impossible = { operation: "read", value: undefined, result: 7, began: 0, ended: 100 };

  expect(isLinearizable(register, [...writes, impossible])).toBe(false);
});
