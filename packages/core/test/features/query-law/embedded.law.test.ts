import { amountOf } from "@partita/test-support/effort";
import { test as propertyTest } from "@fast-check/vitest";
import { lawParts } from "@partita/test-support/seed";
import { describe } from "vitest";
import { openStorage } from "../../../src/index.ts";
import { checkLaw, lawCase } from "./law.ts";

const runs = amountOf({ short: 200, full: 600, long: 60_000 });

describe.each(lawParts(runs, 4))("part $part", ({ options }) => {
  propertyTest.prop([lawCase({ hasTicks: true })], options)(
    "a query returns exactly what its predicate says, each once, in key order",
    async (each) => {
      await using storage = await openStorage("memory:");
      await checkLaw(storage, each);
    },
  );
});
