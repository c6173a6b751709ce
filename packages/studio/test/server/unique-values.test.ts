import {
  createTables,
  defineEntity,
  openStorage,
  TableContext,
  type TableStorage,
  text,
} from "@partita/core";
import { forwardStorage, markerRow } from "@partita/core/internal";
import { constant } from "@partita/core/keys";
import { expect, test } from "vitest";
import type { OpenRow, StagedChange } from "../../src/api/staged.ts";
import { openApi } from "./open-api.ts";

class User extends defineEntity({
  table: "Users",
  partitionKey: { country: text() },
  rowKey: { id: constant("ID:", text()) },
  properties: { email: text() },
  indexes: { email: { rowKey: { email: constant("MAIL:", text()) }, unique: true, over: "table" } },
}) {}

async function usersIn(): Promise<TableStorage> {
  const storage = await openStorage("memory:");
  await createTables(storage, [User]);
  const context = new TableContext(storage);
  context.create(User, { country: "IS", id: "1", email: "ann@example.org" });
  context.create(User, { country: "NO", id: "2", email: "lee@example.org" });
  await context.saveChanges();
  return storage;
}

/** Changes an address in a studio, and returns the refusal of the save. */
async function refusalOf(storage: TableStorage, email: string): Promise<string | undefined> {
  const api = await openApi(storage, [User]);
  const { id, etag }: OpenRow = await api.ask("POST staged/open", {
    table: "Users",
    className: "User",
    partitionKey: "NO",
    rowKey: "ID:2",
  });
  await api.ask("POST staged/edit", { id, etag, changes: [{ name: "email", type: "String", value: email }] });
  await api.ask("POST staged/save", { ids: [id] });
  const [change] = await api.ask<readonly StagedChange[]>("GET staged", {});
  return change?.error;
}

test("a value that another row of the table has is refused with a reason", async () => {
  await using storage = await usersIn();

  expect(await refusalOf(storage, "ann@example.org")).toMatch(/^Another row already has this value/);
});

test("a value that other programs are saving is not reported as taken", async () => {
  await using storage = await usersIn();
  const refusing = forwardStorage(storage, {
    // Another program refuses each transaction of a save.
    async transact(table, operations, options) {
      const [first] = operations;
      if (first?.type === "insert") {
        const { PartitionKey: partitionKey, RowKey: rowKey } = first.entity;
        const entity = markerRow({ partitionKey, rowKey }, "closed");
        await storage.write(table, { type: "insert", entity });
      }
      return storage.transact(table, operations, options);
    },
  });

  expect(await refusalOf(refusing, "new@example.org")).toMatch(/^Other programs are saving this value/);
});
