import { amountOf } from "@partita/test-support/effort";
import { seedOf } from "@partita/test-support/seed";
import { randomNumbers } from "@partita/testing";
import { describe, expect, test, vi } from "vitest";
import { type Faults, randomHistory } from "./explore-saves.ts";
import { histories } from "./histories.ts";

// Fewer rounds have fewer histories.
vi.mock("../../../../src/work/claims/claim-limits.ts", () => ({ maxRounds: 2 }));

const runs = Number(process.env["PARTITA_CLAIM_RUNS"] ?? amountOf({ short: 10, full: 100, long: 20_000 }));

const kinds: readonly (Faults & { readonly name: string })[] = [
  { name: "requests are lost and late, and programs die", lost: 2, late: 2, deaths: 1 },
  { name: "programs sleep for an hour, and markers are swept", lost: 1, late: 1, deaths: 1, hours: 1 },
];

describe.each(kinds)("$name", (faults) => {
  test.each(histories)(
    "$name",
    async ({ scenario }) => {
      const { name: _name, ...own } = faults;
      const made = await scenario(own);
      const random = randomNumbers(seedOf("PARTITA_CLAIM_SEED", 1));

      for (let i = 0; i < runs; i++) expect(await randomHistory(made, random)).not.toHaveProperty("broken");
    },
    3_600_000,
  );
});
