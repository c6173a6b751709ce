import { amountOf } from "@partita/test-support/effort";
import { describe, expect, test } from "vitest";
import { explore } from "./explore.ts";
import { scenarios } from "./scenarios.ts";
import { weakerRules } from "./weaker-rules.ts";

/** States of one scenario: all of them take minutes. */
const limit = amountOf({ short: 4000, full: 8000, long: Infinity });

describe("every history of lost responses ends with a true outcome", () => {
  test.each(scenarios)("$name", (scenario) => {
    const { violations, states, isCut, outcomes } = explore(scenario, { limit });

    expect(violations).toEqual([]);
    expect(isCut).toBe(states > limit);
    expect(Object.keys(outcomes)).toEqual(expect.arrayContaining(["committed", "rejected"]));
  });
});

describe("a weaker rule breaks a law", () => {
  test.each(weakerRules)("%s, %s: law %s", (weak, name, law) => {
    const scenario = scenarios.find((one) => one.name === name)!;
    // A member of a group that was told as rejected may go without the others.
    const { violations } = explore(
      { ...scenario, goesApartOnceRejected: true },
      { weak, until: law, limit: 50_000 },
    );

    expect(violations.map((one) => one.law)).toContainEqual(expect.stringMatching(new RegExp(`^${law}:`)));
  });
});
