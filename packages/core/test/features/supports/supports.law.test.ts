import { startTableServer, type TableServer } from "@partita/server";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStorage, type TableStorage } from "../../../src/index.ts";
import { actsOf, History, type Stage, stages } from "./histories.ts";

/** Histories of each stage, over memory and over REST; 20,000 in all with PARTITA_LONG. */
const [inMemory, overRest] = process.env["PARTITA_LONG"] === undefined ? [120, 15] : [2900, 450];
const seed = Number(process.env["SEED"] ?? 39);

const holds = (storage: () => TableStorage, stage: Stage, numRuns: number): Promise<void> =>
  fc.assert(
    fc.asyncProperty(fc.constantFrom(...stage.first), actsOf(stage), async (first, acts) => {
      expect(await History.run(storage(), stage, first, acts)).toBeUndefined();
    }),
    { numRuns, seed },
  );

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

  test.each(Object.entries(stages))("%s", (_name, stage) =>
    holds(() => memory as TableStorage, stage, inMemory),
  );
  test.each(Object.entries(stages))("%s, over REST", (_name, stage) =>
    holds(() => rest as TableStorage, stage, overRest),
  );
});
