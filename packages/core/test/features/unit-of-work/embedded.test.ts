import { describe } from "vitest";
import { detectionCases } from "./detection-cases.ts";
import { lifetimeCases } from "./lifetime-cases.ts";
import { mergeCases } from "./merge-cases.ts";
import { saveCases } from "./save-cases.ts";
import { stateCases } from "./state-cases.ts";
import { openStore } from "./store.ts";

describe("a unit of work over the embedded store", () => {
  for (const cases of [stateCases, detectionCases, mergeCases, saveCases, lifetimeCases])
    cases(() => openStore("memory:"));
});
