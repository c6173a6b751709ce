import { expect, test, vi } from "vitest";
import { type Faults, replayHistory } from "./explore-saves.ts";
import { histories, type SmallHistory } from "./histories.ts";

// Fewer rounds have fewer histories.
vi.mock("../../../../src/work/claims/claim-limits.ts", () => ({ maxRounds: 2 }));

const faults: Faults = { lost: 2, late: 2, deaths: 1, hours: 1 };
const times = (count: number, step: string): string => Array<string>(count).fill(step).join(", ");

/** Histories that random ones seldom reach. Each gives two users one address if one rule of the protocol is missing. */
const rare: readonly (readonly [rule: string, scenario: string, steps: string])[] = [
  [
    "the transaction of an earlier claim is ended, even if it is of the same entity",
    "two programs create one user, which is removed, create",
    "0 applied, 0 dies after sending",
  ],
  [
    "a release leaves the reservation of a newer claim",
    "release, taken back, create",
    "0 applied, 0 applied, 0 late, 0 response lost, 1 applied, 2 applied, 1 applied, late 0 arrives, 1 applied, 0 applied, 1 applied, 0 applied, 2 applied, 1 applied, 2 applied, 1 applied, 0 applied, 2 applied, 2 dies, 0 applied, 0 applied",
  ],
  ["during a move, the reservation names the old key", "move, create", ""],
  [
    "during a move, the reservation names the new key",
    "move, create",
    `1 lost, 1 dies, ${times(11, "0 applied")}, 0 late, late 0 arrives`,
  ],
  [
    "after an hour, a missing marker proves nothing",
    "two create",
    "0 applied, 0 response lost, an hour passes",
  ],
  [
    "after an hour, a claim is not used",
    "two of one transaction, two create",
    `1 applied, 1 dies, 0 applied, 0 applied, ${times(12, "2 applied")}, an hour passes`,
  ],
];

test.each(rare)("%s", async (_rule, name, steps) => {
  const { scenario } = histories.find((each) => each.name === name) as SmallHistory;

  expect(await replayHistory(await scenario(faults), steps)).not.toHaveProperty("broken");
});
