import { app, type InvocationContext } from "@azure/functions";
import { defineEntity, int32, openStorage, TableContext, type TableStorage, text } from "@partita/core";

export class Shipment extends defineEntity({
  table: "Shipments",
  partitionKey: { customer: text() },
  rowKey: { order: text() },
  properties: { parcels: int32() },
}) {}

/** What a message of the queue holds. */
interface Order {
  readonly customer: string;
  readonly order: string;
  readonly parcels: number;
}

let opened: Promise<TableStorage> | undefined;

/** Opened by the first invocation, and used by all that follow in this process. */
export const storage = (): Promise<TableStorage> =>
  (opened ??= openStorage(process.env["AzureWebJobsStorage"] ?? "UseDevelopmentStorage=true"));

/** A message may be delivered twice: the second time, the same row is written over itself. */
export async function shipOrder(message: unknown, context: InvocationContext): Promise<void> {
  const { customer, order, parcels } = readOrder(message);
  const tables = new TableContext(await storage());
  tables.upsert(Object.assign(new Shipment(), { customer, order, parcels }), "replace", { idempotent: true });
  await tables.saveChanges();
  context.log(`Order ${order} is shipped.`);
}

/** The host hands over JSON as an object, and any other text as it is. @throws TypeError, so that it is tried again and put aside */
function readOrder(message: unknown): Order {
  const { customer, order, parcels } = (message ?? {}) as Partial<Order>;
  if (typeof customer !== "string" || typeof order !== "string" || !Number.isInteger(parcels))
    throw new TypeError("The message is no order.");
  return { customer, order, parcels: parcels as number };
}

app.storageQueue("shipOrder", {
  queueName: "orders",
  connection: "AzureWebJobsStorage",
  handler: shipOrder,
});
