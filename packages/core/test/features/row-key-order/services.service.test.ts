import { amountOf } from "@partita/test-support/effort";
import { test as propertyTest } from "@fast-check/vitest";
import { type Azurite, startAzurite } from "@partita/test-support/azurite";
import { startTableServer, type TableServer } from "@partita/server";
import { afterAll, beforeAll, describe } from "vitest";
import { openStorage, type TableStorage } from "../../../src/index.ts";
import { checkOrderLaw, createOrderTable, orderCase } from "./law.ts";

const numRuns = amountOf({ short: 10, full: 20, long: 2000 });

describe("over Azurite", () => {
  let azurite: Azurite;
  let storage: TableStorage;
  beforeAll(async () => {
    azurite = await startAzurite();
    storage = await openStorage(azurite.connectionString);
    await createOrderTable(storage);
  });
  afterAll(async () => {
    await storage.close();
    await azurite.stop();
  });

  propertyTest.prop([orderCase], { numRuns })(
    "a query in RowKey order returns exactly what its predicate says",
    (each) => checkOrderLaw(storage, each),
  );
});

describe("over the table server", () => {
  let server: TableServer;
  let storage: TableStorage;
  beforeAll(async () => {
    server = await startTableServer();
    storage = await openStorage(server.connectionString);
    await createOrderTable(storage);
  });
  afterAll(async () => {
    await storage.close();
    await server.close();
  });

  propertyTest.prop([orderCase], { numRuns })(
    "a query in RowKey order returns exactly what its predicate says",
    (each) => checkOrderLaw(storage, each),
  );
});
