import { isLong } from "@partita/test-support/effort";
import { test as propertyTest } from "@fast-check/vitest";
import { afterAll, beforeAll } from "vitest";
import { openStorage, type TableStorage } from "../../../src/index.ts";
import { checkOrderLaw, createOrderTable, orderCase } from "./law.ts";

const runs = isLong ? 20_000 : 120;

let storage: TableStorage;
beforeAll(async () => {
  storage = await openStorage("memory:");
  await createOrderTable(storage);
});
afterAll(() => storage.close());

propertyTest.prop([orderCase], { numRuns: runs })(
  "a query in RowKey order returns exactly what its predicate says, each once, sorted by RowKey",
  (each) => checkOrderLaw(storage, each),
);
