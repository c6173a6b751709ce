import { openStorage, type TableStorage } from "@partita/core";
import { type Azurite, startAzurite } from "@partita/test-support/azurite";
import { afterAll, beforeAll, describe } from "vitest";
import { outboxCases } from "./outbox-cases.ts";

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

describe("over Azurite", () => {
  outboxCases(() => storage);
});
