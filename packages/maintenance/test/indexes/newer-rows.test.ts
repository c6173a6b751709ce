import { createTables, defineEntity, openStorage, TableContext, text } from "@partita/core";
import { constant } from "@partita/core/keys";
import { rename, upgrades } from "@partita/core/upgrades";
import { expect, test } from "vitest";
import { verifyIndex } from "../../src/index.ts";
import { allRows } from "./runners.ts";

const keys = {
  table: "Users",
  partitionKey: { country: text() },
  rowKey: { id: constant("ID:", text()) },
} as const;
const unique = { unique: true, over: "table" } as const;
class OldUser extends defineEntity({
  ...keys,
  version: 1,
  properties: { email: text().optional() },
  indexes: { email: { rowKey: { email: constant("MAIL:", text()) }, ...unique } },
}) {}
class NewUser extends defineEntity({
  ...keys,
  version: upgrades({ email: text().optional() }).to(2, rename("email", "mail")),
  properties: { mail: text().optional() },
  indexes: { email: { rowKey: { mail: constant("MAIL:", text()) }, ...unique } },
}) {}

test("a repair by an older release deletes nothing that belongs to rows of a newer one", async () => {
  await using storage = await openStorage("memory:");
  await createTables(storage, [NewUser]);
  const context = new TableContext(storage);
  context.create(NewUser, { country: "IS", id: "1", mail: "ann@example.org" });
  await context.saveChanges();
  const before = await allRows(storage, "Users");

  await verifyIndex(storage, OldUser, "email", { repair: true });

  expect(await allRows(storage, "Users")).toEqual(before);
});
