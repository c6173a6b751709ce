// Orders of the first version are readable, and are upgraded in the background, tenant by tenant or all
// together.
import { createTables, openStorage, TableContext } from "@partita/core";
import { upgradeTable } from "@partita/maintenance";
import { Customer, Line, Order } from "./model.ts";

await using storage = await openStorage(process.argv[2] ?? "memory:");
await createTables(storage, [Customer, Order, Line]);

// Rows of the first release.
for (const [i, tenant] of ["acme", "beta"].entries())
  await storage.write("Orders", {
    type: "insert",
    entity: {
      PartitionKey: tenant,
      RowKey: `01ARZ3NDEKTSV4RRFFQ69G5FA${i}`,
      Kind: "Order",
      SchemaVersion: 1,
      customer: "ann",
      Remark: "Call first",
      "createdAt@odata.type": "Edm.DateTime",
      createdAt: "2025-01-01T00:00:00Z",
      "updatedAt@odata.type": "Edm.DateTime",
      updatedAt: "2025-01-01T00:00:00Z",
    },
  });

await using context = new TableContext(storage, { scope: { tenant: "acme" } });
const order = await context.query(Order).single();
console.log("Read as version 2:", order.note);
order.note = "Ring the bell";
await context.saveChanges();

// It takes the storage, so it works for every tenant.
const { upgraded } = await upgradeTable(storage, [Order, Line]);
console.log("Upgraded in the background:", upgraded);
