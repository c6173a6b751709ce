import { amountOf, isLong } from "@partita/test-support/effort";
import { seedOf } from "@partita/test-support/seed";
import { randomNumbers } from "@partita/testing";
import { describe, expect, test, vi } from "vitest";
import { exploreSaves, type Faults, randomHistory } from "./explore-saves.ts";
import { histories } from "./histories.ts";

// Fewer rounds have fewer histories.
vi.mock("../../../../src/work/claims/claim-limits.ts", () => ({ maxRounds: 2 }));

const runs = Number(process.env["PARTITA_CLAIM_RUNS"] ?? amountOf({ short: 10, full: 40, long: 20_000 }));

/** Hours, for a search of all histories. */
const longestMs = 4 * 3_600_000;

const kinds: readonly (Faults & { readonly name: string })[] = [
  { name: "random histories: requests are lost and late, and programs die", lost: 2, late: 2, deaths: 1 },
  { name: "random histories: programs sleep for an hour", lost: 1, late: 1, deaths: 1, hours: 1 },
];

describe.each(kinds)("$name", ({ name: _name, ...faults }) => {
  test.each(histories)(
    "$name",
    async ({ scenario }) => {
      const made = await scenario(faults);
      const random = randomNumbers(seedOf("PARTITA_CLAIM_SEED", 1));

      for (let i = 0; i < runs; i++) expect(await randomHistory(made, random)).not.toHaveProperty("broken");
    },
    longestMs,
  );
});

const small: readonly Faults[] = isLong ? [{ deaths: 1 }, { lost: 1 }, { late: 1 }, { hours: 1 }] : [{}];

describe.each(small)("all histories with the faults %o", (faults) => {
  test.each(isLong ? histories : histories.slice(0, 4))(
    "$name",
    async ({ name, scenario }) => {
      const { states, broken } = await exploreSaves(await scenario(faults));

      if (isLong) console.info(`${name}, ${JSON.stringify(faults)}: ${states} states`);
      expect(broken).toBeUndefined();
      expect(states).toBeGreaterThan(20);
    },
    longestMs,
  );
});
