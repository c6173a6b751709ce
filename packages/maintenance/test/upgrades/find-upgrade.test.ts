import { expect, test } from "vitest";
import { createTables, defineEntity, int32, openStorage, text } from "@partita/core";
import { forwardStorage } from "@partita/core/internal";
import { rename, upgrades } from "@partita/core/upgrades";
import { findUpgrade, upgradeTable } from "../../src/index.ts";

class Order extends defineEntity({
  table: "Orders",
  partitionKey: { shop: text() },
  rowKey: { id: text() },
  properties: { Quantity: int32() },
  version: upgrades({ Qty: int32() }).to(2, rename("Qty", "Quantity")),
}) {}

test("an upgrade is found by its classes, or by its name, until it has reached the end", async () => {
  await using storage = await openStorage("memory:");
  await createTables(storage, [Order]);
  for (let i = 0; i < 2500; i++)
    await storage.write("Orders", {
      type: "insert",
      entity: {
        PartitionKey: `shop${String(Math.floor(i / 100)).padStart(2, "0")}`,
        RowKey: String(i).padStart(4, "0"),
        Qty: i,
      },
    });
  const never = await findUpgrade(storage, [Order]);
  const stop = new AbortController();
  let batches = 0;
  const stopping = forwardStorage(storage, {
    transact: (table, ...rest) => {
      if (table === "Orders" && ++batches === 15) stop.abort();
      return storage.transact(table, ...rest);
    },
  });

  const options = { concurrency: 1, checkpoint: "by night", signal: stop.signal };
  await expect(upgradeTable(stopping, [Order], options)).rejects.toMatchObject({ code: "storage.cancelled" });
  const found = await findUpgrade(storage, [Order], { checkpoint: "by night" });
  const byClasses = await findUpgrade(storage, [Order]);
  await upgradeTable(storage, [Order], { checkpoint: "by night" });

  expect([never, byClasses]).toEqual([undefined, undefined]);
  expect(found).toMatchObject({ pass: 1, pagesAtWork: 1, after: { partitionKey: "shop19", rowKey: "1999" } });
  expect(await findUpgrade(storage, [Order], { checkpoint: "by night" })).toBeUndefined();
});
