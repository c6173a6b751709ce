// A function with a queue trigger. `partita serve` serves its tables and its queue from one local store.
import { createTables, openStorage, TableContext } from "@partita/core";
import { openQueues } from "@partita/queues";
import { startQueueServer, startTableServer } from "@partita/server";
import { runQueueTrigger } from "./queue-host.ts";
import { Shipment, shipOrder, storage } from "./ship-order.ts";

const store = await openStorage("memory:");
await using tableServer = await startTableServer({ storage: store });
await using queueServer = await startQueueServer({
  storage: store,
  account: tableServer.account,
  key: tableServer.key,
});
const connectionString = `${tableServer.connectionString};QueueEndpoint=${queueServer.url}`;
process.env["AzureWebJobsStorage"] = connectionString;
await createTables(await storage(), [Shipment]);

await using queues = await openQueues(connectionString);
await queues.createQueue("orders");
for (const order of ["1", "2", "2"])
  await queues.put("orders", JSON.stringify({ customer: "ada", order, parcels: 3 }));
await queues.put("orders", "no order");
await runQueueTrigger(connectionString, "orders", shipOrder, (line) => console.log(line));

const shipped = await new TableContext(await storage()).query(Shipment).where({ customer: "ada" }).toArray();
console.log(
  `Shipped: ${shipped.map(({ order, parcels }) => `order ${order} in ${parcels} parcels`).join(", ")}`,
);
console.log(`Left in the queue: ${await queues.approximateCount("orders")}`);
console.log(`Put aside: ${(await queues.peek("orders-poison")).map(({ text }) => text).join(", ")}`);
await (await storage()).close();
await store.close();
