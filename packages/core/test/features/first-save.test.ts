import { isOverPostgres } from "@partita/test-support/postgres";
import { expect, test } from "vitest";
import { createTables, defineEntity, int32, openStorage, TableContext, text } from "../../src/index.ts";

class Thing extends defineEntity({
  table: "Things",
  partitionKey: { group: text() },
  rowKey: { id: text() },
  properties: { n: int32() },
}) {}

// A file of its own: a program's first save must take its entities as soon as later ones do, whatever it has to load.
test.skipIf(isOverPostgres)(
  "what the first save of a program sends is on its way once it was called",
  async () => {
    await using storage = await openStorage("memory:");
    await createTables(storage, [Thing]);
    await storage.write("Things", {
      type: "insert",
      entity: { PartitionKey: "a", RowKey: "1", n: 1 },
    });
    await using context = new TableContext(storage);
    const thing = (await context.find(Thing, { group: "a", id: "1" })) as Thing;
    thing.n = 2;

    const saved = context.saveChanges();
    await expect(context.reload(thing)).rejects.toMatchObject({ code: "entity.in-flight" });

    expect(await saved).toMatchObject([{ outcome: "committed" }]);
    expect(await storage.get("Things", { partitionKey: "a", rowKey: "1" })).toMatchObject({ n: 2 });
  },
);
