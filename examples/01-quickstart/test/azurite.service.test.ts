import { afterAll, beforeAll, expect, test } from "vitest";
import { type Azurite, startAzurite } from "@partita/test-support/azurite";
import { responses } from "./responses.ts";

let azurite: Azurite;
beforeAll(async () => {
  azurite = await startAzurite();
});
afterAll(() => azurite.stop());

test("prints the same answers on Azurite as on the embedded store", async () => {
  const service = await responses(azurite.connectionString, 5000);
  const embedded = await responses("memory:", 5000);

  expect(service).toContain("Entities per kind: 5,000 cities, 250 countries");
  expect(service).toBe(embedded);
});
