import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TableStorage } from "../../../src/index.ts";
import { actsOf, History, openStore, stages } from "./histories.ts";

/** Histories of each stage; more with PARTITA_LONG. */
const runs = process.env["PARTITA_LONG"] === undefined ? 150 : 3500;

let storage: TableStorage;
beforeAll(async () => {
  storage = await openStore();
});
afterAll(() => storage[Symbol.asyncDispose]());

describe("releases of several versions share rows, and no write of a supported one is lost", () => {
  test.each(Object.entries(stages))("%s", async (_name, stage) => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...stage.first), actsOf(stage), async (first, acts) => {
        expect(await History.run(storage, stage, first, acts)).toBeUndefined();
      }),
      { numRuns: runs, seed: Number(process.env["SEED"] ?? 39) },
    );
  });
});
