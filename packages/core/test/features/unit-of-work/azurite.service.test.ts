import { afterAll, beforeAll, describe } from "vitest";
import { type Azurite, startAzurite } from "@partita/test-support/azurite";
import { detectionCases } from "./detection-cases.ts";
import { lifetimeCases } from "./lifetime-cases.ts";
import { mergeCases } from "./merge-cases.ts";
import { saveCases } from "./save-cases.ts";
import { stateCases } from "./state-cases.ts";
import { openStore } from "./store.ts";

let azurite: Azurite;
beforeAll(async () => {
  azurite = await startAzurite();
});
afterAll(() => azurite.stop());

describe("a unit of work over Azurite", () => {
  for (const cases of [stateCases, detectionCases, mergeCases, saveCases, lifetimeCases])
    cases(() => openStore(azurite.connectionString));
});
