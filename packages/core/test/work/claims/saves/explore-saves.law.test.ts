import { expect, test } from "vitest";
import { type Faults, exploreSaves, type Program } from "./explore-saves.ts";
import { lawsOf, type SaveText, saver, storedBefore } from "./user-saves.ts";

interface Row {
  readonly name: string;
  readonly before?: readonly SaveText[];
  readonly programs: readonly Program[];
}

const rows: readonly Row[] = [
  { name: "two create", programs: [saver("p", "create IS 1 a"), saver("q", "create NO 2 a")] },
];

const run = async ({ before = [], programs }: Row, faults: Faults) =>
  exploreSaves({ table: "Users", rows: await storedBefore(...before), programs, faults, laws: lawsOf });

test.each(rows)("$name", async (row) => {
  for (const faults of [{}, { lost: 1 }, { deaths: 1 }, { late: 1 }]) {
    const t = performance.now();
    const found = await run(row, faults);
    console.log(row.name, JSON.stringify(faults), found.states, `${Math.round(performance.now() - t)} ms`);
    expect(found.broken).toBeUndefined();
  }
}, 600_000);
