import { isLong } from "@partita/test-support/effort";
import { fc } from "@fast-check/vitest";
import { seedOf } from "@partita/test-support/seed";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTables, openStorage, type TableStorage } from "../../../src/index.ts";
import { type Command, command } from "./commands.ts";
import { twins } from "./designs.ts";
import { History } from "./history.ts";

const numRuns = Number(process.env["PARTITA_INDEX_RUNS"] ?? (isLong ? 10_000 : 150));
const seed = seedOf("PARTITA_INDEX_SEED", 17);

let storage: TableStorage;
let histories = 0;
beforeAll(async () => {
  storage = await openStorage("memory:", { durability: "normal" });
  for (const { classes } of twins.flat()) await createTables(storage, classes);
});
afterAll(() => storage.close());

/** The same without faults and without indexes; what is read via an index is in another order. */
const plainOf = (one: Command): Command => ({
  ...one,
  ...("faults" in one && { faults: [] }),
  ...(one.type === "save" && { isKilled: false }),
  ...("via" in one && { via: "" }),
});

for (const [plain, indexed] of twins)
  test(`${indexed.name}: whatever is done, a class with indexes stores and reports what it would without them`, async () => {
    const property = async (commands: readonly Command[]): Promise<void> => {
      const prefix = `${histories++}-`;
      const [without, withIndexes] = [plain, indexed].map(
        (design) => new History(design, storage, prefix),
      ) as [History, History];
      for (const one of commands) {
        if (one.type === "saveBoth") continue;
        const expected = await without.perform(plainOf(one));
        expect(await withIndexes.perform(plainOf(one)), JSON.stringify(one)).toEqual(expected);
        expect(await withIndexes.entities()).toEqual(await without.entities());
      }
      for (const history of [without, withIndexes]) {
        await history.end();
        await history.clear();
      }
    };
    await expect(
      fc.assert(fc.asyncProperty(fc.array(command, { maxLength: 40, size: "max" }), property), {
        numRuns,
        seed,
      }),
    ).resolves.toBeUndefined();
  });
