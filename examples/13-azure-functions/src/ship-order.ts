import { app, type InvocationContext } from "@azure/functions";
import { defineEntity, int32, openStorage, TableContext, type TableStorage, text } from "@partita/core";

export class Shipment extends defineEntity({
  table: "Shipments",
  partitionKey: { customer: text() },
  rowKey: { order: text() },
  properties: { parcels: int32() },
}) {}

/** The contents of a message. */
interface Order {
  readonly customer: string;
  readonly order: string;
  readonly parcels: number;
}

let opened: Promise<TableStorage> | undefined;

/** Opened by the first invocation, and shared by all later ones in this process. */
export const storage = (): Promise<TableStorage> =>
  (opened ??= openStorage(process.env["AzureWebJobsStorage"] ?? "UseDevelopmentStorage=true"));

/** A message may be delivered twice. The second delivery writes the same row again. */
export async function shipOrder(message: unknown, context: InvocationContext): Promise<void> {
  const { customer, order, parcels } = readOrder(message);
  const tables = new TableContext(await storage());
  tables.upsert(Object.assign(new Shipment(), { customer, order, parcels }), "replace", { idempotent: true });
  await tables.saveChanges();
  context.log(`Order ${order} is shipped.`);
}

/**
 * The host passes JSON as an object, and any other text unchanged.
 *
 * @throws TypeError, so the host retries the message and then moves it to the poison queue
 */
function readOrder(message: unknown): Order {
  const { customer, order, parcels } = (message ?? {}) as Partial<Order>;
  if (typeof customer !== "string" || typeof order !== "string" || !Number.isInteger(parcels))
    throw new TypeError("The message is not an order.");
  return { customer, order, parcels: parcels as number };
}

app.storageQueue("shipOrder", {
  queueName: "orders",
  connection: "AzureWebJobsStorage",
  handler: shipOrder,
});
