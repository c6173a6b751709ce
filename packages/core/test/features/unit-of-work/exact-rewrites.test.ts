import { describe, expect, test } from "vitest";
import {
  createTables,
  dateTime,
  defineEntity,
  int32,
  json,
  openStorage,
  TableContext,
  text,
} from "../../../src/index.ts";
import type { StoredEntity } from "../../../src/storage.ts";
import { keyOf } from "./store.ts";

describe("writing again what was not changed", () => {
  class Exact extends defineEntity({
    table: "Exacts",
    partitionKey: { book: text() },
    rowKey: { id: text() },
    properties: {
      at: dateTime().optional(),
      tags: json<unknown>().optional(),
      s: int32().alsoReads("Edm.Int64").optional(),
      n: int32().optional(),
    },
  }) {}
  const stored = {
    PartitionKey: "b",
    RowKey: "1",
    at: "2020-01-01T00:00:05.1234567Z",
    "at@odata.type": "Edm.DateTime",
    tags: '{ "a": 1 }',
    s: "7",
    "s@odata.type": "Edm.Int64",
  };

  test.each<[string, (context: TableContext, entity: Exact) => void]>([
    ["update(e)", (context, entity) => context.update(entity)],
    ["remove(e), add(e)", (context, entity) => (context.remove(entity), context.add(entity))],
    ["an edit, replaced", (_context, entity) => (entity.n = 1)],
  ])("%s: every digit, type and space stays", async (name, change) => {
    await using storage = await openStorage("memory:");
    await createTables(storage, [Exact]);
    await storage.write("Exacts", { type: "insert", entity: stored });
    const context = new TableContext(storage);
    const entity = (await context.find(Exact, keyOf())) as Exact;
    change(context, entity);
    await context.saveChanges(name.endsWith("replaced") ? { update: "replace" } : {});

    const {
      Timestamp: _t,
      "odata.etag": _e,
      n: _n,
      ...now
    } = (await storage.get("Exacts", {
      partitionKey: "b",
      rowKey: "1",
    })) as StoredEntity;
    expect(now).toEqual(stored);
  });
});
