import { expect, test } from "vitest";
import { numbersOf } from "../../src/data/writing-options.ts";
import { UsageError } from "../../src/session/usage-error.ts";

test("a concurrency that memory does not hold is a wrong call", () => {
  expect(numbersOf({ concurrency: "1000", rate: "1e6" })).toEqual({ concurrency: 1000, rate: 1_000_000 });
  for (const concurrency of ["1001", "1e9", "0", "-1", "NaN", "1.5", ""])
    expect(() => numbersOf({ concurrency })).toThrow(UsageError);
});
