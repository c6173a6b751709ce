import {
  createTables,
  defineEntity,
  openStorage,
  TableContext,
  type TableStorage,
  text,
} from "@partita/core";
import { tableQueues } from "@partita/queues";
import { copyTable, exportTable, importTable } from "@partita/transfer";
import { expect, test } from "vitest";
import { defineTask, outbox, type Task, startWorker } from "../../src/index.ts";

class Order extends defineEntity({
  table: "Orders",
  partitionKey: { shop: text() },
  rowKey: { id: text() },
  properties: { state: text() },
  outbox: true,
}) {}

const shipOrder = (shipped: string[]): Task<{ readonly order: string }> =>
  defineTask("shipOrder", async ({ order }: { readonly order: string }) => void shipped.push(order), {
    queue: "orders",
  });

/** A store where an order waits to be shipped. */
async function storeWithMessage(): Promise<TableStorage> {
  const storage = await openStorage("memory:");
  await createTables(storage, [Order]);
  const context = new TableContext(storage);
  const order = context.create(Order, { shop: "s", id: "7", state: "paid" });
  outbox(context, tableQueues(storage)).send(order, shipOrder([]), { order: "7" });
  await context.saveChanges();
  return storage;
}

/** What a worker ships of the orders in a store. */
async function shippedIn(storage: TableStorage): Promise<string[]> {
  const shipped: string[] = [];
  await using worker = startWorker({ storage, queues: tableQueues(storage), tasks: [shipOrder(shipped)] });
  await worker.idle();
  return shipped;
}

test("an export of a table leaves its waiting messages where they are handled, and says so", async () => {
  await using from = await storeWithMessage();
  await using to = await openStorage("memory:");
  let messages = 0;
  const exported = exportTable(from, "Orders", {
    format: "jsonl",
    onProgress: ({ omitted }) => void (messages = omitted.messages),
  });
  await importTable(to, "Orders", exported);

  expect(messages).toBe(1);
  expect((await to.query("Orders", {})).entities).toMatchObject([{ RowKey: "7", state: "paid" }]);
  expect(await shippedIn(from)).toEqual(["7"]);
});

test("a storage that is moved with its queues has its messages handled in the new place", async () => {
  await using from = await storeWithMessage();
  await using to = await openStorage("memory:");
  for (const table of await from.listTables()) await copyTable(from, to, table, { transactionRows: "keep" });

  expect(await shippedIn(to)).toEqual(["7"]);
});
