import { createTables, defineEntity, openStorage, type SaveError, TableContext, text } from "@partita/core";
import { constant } from "@partita/core/keys";
import { expect, test } from "vitest";
import { moveRows, verifyIndex } from "../../src/index.ts";

const settings = {
  table: "Users",
  rowKey: { id: constant("ID:", text()) },
  properties: { email: text().optional() },
  indexes: { email: { rowKey: { email: constant("MAIL:", text()) }, unique: true, over: "table" } },
} as const;
class OldUser extends defineEntity({ ...settings, partitionKey: { country: text() } }) {}
class User extends defineEntity({
  ...settings,
  partitionKey: { country: constant("C:", text()) },
  formerKeys: OldUser,
}) {}

test("rows that are moved to other partitions keep their unique values", async () => {
  await using storage = await openStorage("memory:");
  await createTables(storage, [OldUser]);
  const old = new TableContext(storage);
  for (const id of ["1", "2", "3"]) old.create(OldUser, { country: "IS", id, email: `${id}@example.org` });
  old.create(OldUser, { country: "IS", id: "none" });
  await old.saveChanges();

  await moveRows(storage, OldUser, User);

  const context = new TableContext(storage);
  for (const id of ["1", "2", "3"]) context.create(User, { country: "NO", id, email: `${id}@example.org` });
  const error = await context.saveChanges({ batch: "none" }).catch((thrown: unknown) => thrown);
  expect((error as SaveError).conflicts?.map((conflict) => conflict.error.code)).toEqual(
    Array(3).fill("conflict.unique"),
  );
  expect(await verifyIndex(storage, User)).toMatchObject({ isClean: true, leftReservations: 0 });
  const moved = await new TableContext(storage).find(User, { country: "IS", id: "1" });
  expect(moved?.email).toBe("1@example.org");
});
