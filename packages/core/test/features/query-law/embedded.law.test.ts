import { test as propertyTest } from "@fast-check/vitest";
import { openStorage } from "../../../src/index.ts";
import { checkLaw, lawCase } from "./law.ts";

const runs = process.env["PARTITA_LONG"] === undefined ? 1200 : 60_000;

propertyTest.prop([lawCase({ hasTicks: true })], { numRuns: runs })(
  "a query returns exactly what its predicate says, each once, in key order",
  async (each) => {
    await using storage = await openStorage("memory:");
    await checkLaw(storage, each);
  },
  600_000,
);
