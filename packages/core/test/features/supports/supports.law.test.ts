import { startTableServer, type TableServer } from "@partita/server";
import fc from "fast-check";
import { amountOf } from "@partita/test-support/effort";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStorage, type TableStorage } from "../../../src/index.ts";
import { actsOf, History, type Stage, stages } from "./histories.ts";

/** Histories of each stage, over memory and over REST; 20,000 in all in the long form. */
const [inMemory, overRest] = amountOf({
  short: [40, 5],
  full: [120, 15],
  long: [2900, 450],
});
const seed = Number(process.env["SEED"] ?? 39);

/** The first law that a history of the stage breaks, in a sentence. */
async function brokenLaw(storage: TableStorage, stage: Stage, numRuns: number): Promise<string | undefined> {
  let broken: string | undefined;
  const property = fc.asyncProperty(fc.constantFrom(...stage.first), actsOf(stage), async (first, acts) => {
    broken = await History.run(storage, stage, first, acts);
    return broken === undefined;
  });
  const { failed, counterexample } = await fc.check(property, { numRuns, seed });
  return failed ? `${JSON.stringify(counterexample)}: ${broken}` : undefined;
}

describe("releases of several versions share rows, and no write of a supported one is lost", () => {
  let [memory, rest]: TableStorage[] = [];
  let server: TableServer | undefined;
  beforeAll(async () => {
    memory = await openStorage("memory:");
    server = await startTableServer();
    rest = await openStorage(server.connectionString);
  });
  afterAll(async () => {
    await rest?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
    await memory?.[Symbol.asyncDispose]();
  });

  test.each(Object.entries(stages))("%s", async (_name, stage) => {
    expect(await brokenLaw(memory as TableStorage, stage, inMemory)).toBeUndefined();
  });
  test.each(Object.entries(stages))("%s, over REST", async (_name, stage) => {
    expect(await brokenLaw(rest as TableStorage, stage, overRest)).toBeUndefined();
  });
});
