import { initPostgres } from "@partita/postgres";
import { hasPostgres } from "@partita/test-support/postgres";
import { expect, test } from "vitest";
import { responses } from "./responses.ts";

test.runIf(hasPostgres)("prints the same over PostgreSQL as over the embedded store", async () => {
  const target = `${process.env["PARTITA_POSTGRES"]}?schema=quickstart`;
  await initPostgres(target);

  const postgres = await responses(target, 3000);
  const again = await responses(target, 3000);
  const embedded = await responses("memory:", 3000);

  expect(postgres).toContain("Entities per kind: 3,000 cities, 250 countries");
  expect(postgres).toBe(embedded);
  // It finds and undoes its own changes first.
  expect(again).toBe(embedded);
});
