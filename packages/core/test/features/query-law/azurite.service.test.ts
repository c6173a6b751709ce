import { isFull } from "@partita/test-support/effort";
import { test as propertyTest } from "@fast-check/vitest";
import { afterAll, beforeAll } from "vitest";
import { type Azurite, startAzurite } from "@partita/test-support/azurite";
import { openStorage, type TableStorage } from "../../../src/index.ts";
import { checkLaw, lawCase } from "./law.ts";

let azurite: Azurite;
let storage: TableStorage;
beforeAll(async () => {
  azurite = await startAzurite();
  storage = await openStorage(azurite.connectionString);
});
afterAll(async () => {
  await storage.close();
  await azurite.stop();
});

// Azurite compares DateTime properties by the millisecond: the service compares all 7 digits.
propertyTest.prop([lawCase({ hasTicks: false })], { numRuns: isFull ? 150 : 40, seed: 20_261_125 })(
  "a query returns exactly what its predicate says, over Azurite",
  (each) => checkLaw(storage, each),
);
