import { createTables, defineEntity, int32, TableContext, type TableStorage, text } from "@partita/core";
import { add, remove, rename, retype, upgrades } from "@partita/core/upgrades";
import { census, upgradeTable } from "@partita/maintenance";
import { type Chapter, codeOf, holds } from "../item.ts";

const shape = { table: "Orders", partitionKey: { shop: text() }, rowKey: { id: text() } } as const;

class First extends defineEntity({
  ...shape,
  version: 1,
  properties: { Qty: int32(), Rating: text().optional(), Price: text() },
}) {}

/** The part of newer rows that an old program reads. */
class Old extends defineEntity({ ...shape, version: 1, properties: { Rating: text().optional() } }) {}

class Latest extends defineEntity({
  ...shape,
  version: upgrades({ Qty: int32(), Rating: text().optional(), Price: text() })
    .to(2, rename("Qty", "Quantity"), add("State", text(), "open"))
    .to(
      3,
      remove("Rating"),
      retype("Price", "Cents", int32(), (price: string) => Number(price) * 100),
    ),
  properties: { Quantity: int32(), State: text(), Cents: int32() },
}) {}

/** A context with a row of the first version. */
async function withOldRow(storage: TableStorage, shop: string): Promise<TableContext> {
  await createTables(storage, [First]);
  await using old = new TableContext(storage);
  old.create(First, { shop, id: "1", Qty: 3, Rating: "good", Price: "2" });
  await old.saveChanges();
  return new TableContext(storage);
}

export const upgrading: Chapter = {
  title: "8.4 Upgrade and versioning",
  items: [
    holds("A row stores the version of its class", 1, async ({ storage, name }) => {
      await withOldRow(storage, name);
      return (await storage.get("Orders", { partitionKey: name, rowKey: "1" }))?.["SchemaVersion"];
    }),
    holds(
      "Added, renamed and changed properties of old rows are read",
      ["open", 3, 200],
      async ({ storage, name }) => {
        const context = await withOldRow(storage, name);
        const order = await context.find(Latest, { shop: name, id: "1" });
        return [order?.State, order?.Quantity, order?.Cents];
      },
    ),
    holds(
      "A save stores the new version, without removed properties",
      [3, undefined],
      async ({ storage, name }) => {
        const context = await withOldRow(storage, name);
        await context.modify(Latest, { shop: name, id: "1" }, (order) => void order.Quantity++);
        const row = await storage.get("Orders", { partitionKey: name, rowKey: "1" });
        return [row?.["SchemaVersion"], row?.["Rating"]];
      },
    ),
    holds(
      "A row of a newer version is not overwritten by an old program",
      "entity.newer-version",
      async ({ storage, name }) => {
        const context = await withOldRow(storage, name);
        await context.modify(Latest, { shop: name, id: "1" }, (order) => void order.Quantity++);
        return codeOf(() =>
          new TableContext(storage).modify(
            Old,
            { shop: name, id: "1" },
            (order) => void (order.Rating = "bad"),
          ),
        );
      },
    ),
  ],
};

/** After the others, because it upgrades their rows as well. */
export const background: Chapter = {
  title: "8.4 Upgrade in the background",
  items: [
    holds("All rows are upgraded in the background", [true, [3]], async ({ storage, name }) => {
      await withOldRow(storage, name);
      const { isClean } = await upgradeTable(storage, [Latest]);
      const versions = (await census(storage, [Latest])).map(({ version }) => version);
      return [isClean, versions];
    }),
  ],
};
