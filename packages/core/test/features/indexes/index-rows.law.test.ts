import { amountOf } from "@partita/test-support/effort";
import { fc } from "@fast-check/vitest";
import { seedOf } from "@partita/test-support/seed";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTables, openStorage, type TableStorage } from "../../../src/index.ts";
import { type Command, command } from "./commands.ts";
import { designs } from "./designs.ts";
import { History } from "./history.ts";

const numRuns = Number(
  process.env["PARTITA_INDEX_RUNS"] ?? amountOf({ short: 500, full: 1000, long: 20_000 }),
);
const seed = seedOf("PARTITA_INDEX_SEED", 17);

let storage: TableStorage;
let histories = 0;
beforeAll(async () => {
  storage = await openStorage("memory:", { durability: "normal" });
  for (const { classes } of designs) await createTables(storage, classes);
});
afterAll(() => storage.close());

describe("after any history of saves, faults, kills and merge options", () => {
  for (const design of designs)
    test(`${design.name}: rows in indexes are what the entities' rows make them, and find what they should`, async () => {
      const property = async (commands: readonly Command[], predicate: number): Promise<void> => {
        const history = new History(design, storage, `${histories++}-`);
        for (const one of commands) {
          await history.perform(one);
          await history.checkRows();
        }
        await history.end();
        await history.checkRows();
        if (predicate < 50) {
          await history.fill();
          await history.checkRows();
          await history.checkQueries(predicate);
        }
        await history.clear();
      };
      const commands = fc.array(command, { maxLength: 32, size: "max" });
      await expect(
        fc.assert(fc.asyncProperty(commands, fc.nat(99), property), {
          numRuns: Math.ceil(numRuns / designs.length),
          seed,
        }),
      ).resolves.toBeUndefined();
    });
});
