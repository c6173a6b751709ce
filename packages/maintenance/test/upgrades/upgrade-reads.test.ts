import { isOverPostgres } from "@partita/test-support/postgres";
import { expect, test } from "vitest";
import { createTables, defineEntity, int32, openStorage, text } from "@partita/core";
import { engineOf, forwardStorage, offerEngine, type StoreEngine } from "@partita/core/internal";
import { add, upgrades } from "@partita/core/upgrades";
import { upgradeTable } from "../../src/index.ts";

class Note extends defineEntity({
  table: "Notes",
  partitionKey: { book: text() },
  rowKey: { id: text() },
  properties: { words: int32(), state: text() },
  version: upgrades({ words: int32() }).to(2, add("state", text(), "open")),
}) {}

test.skipIf(isOverPostgres)(
  "a table is read once to upgrade it, and once afterwards by the kinds and versions of its rows",
  async () => {
    await using storage = await openStorage("memory:");
    await createTables(storage, [Note]);
    for (const RowKey of ["1", "2"])
      await storage.write("Notes", { type: "insert", entity: { PartitionKey: "a", RowKey, words: 7 } });
    const read: unknown[] = [];
    const engine = engineOf(storage) as StoreEngine;
    const watched = forwardStorage(storage, {});
    offerEngine(watched, {
      ...engine,
      readRows(table, query, reader, options) {
        if (table === "Notes") read.push(reader);
        return engine.readRows(table, query, reader, options);
      },
    });

    const report = await upgradeTable(watched, [Note]);

    expect(report).toMatchObject({
      before: [{ version: undefined, count: 2 }],
      after: [{ version: 2, count: 2 }],
      upgraded: 2,
      isClean: true,
    });
    expect(read).toEqual([expect.objectContaining({ readBody: expect.any(Function) as unknown })]);
  },
);
