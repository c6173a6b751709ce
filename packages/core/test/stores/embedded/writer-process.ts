// A process of its own: writes transactions of three rows, and says so after each is acknowledged.
import { openStorage, StorageError } from "../../../src/index.ts";

const [path = "", partitionKey = "", count = "0"] = process.argv.slice(2);

await using storage = await openStorage(`file:${path}`, { busyTimeoutMs: 600_000 });
try {
  await storage.createTable("Things");
} catch (error) {
  if (!(error instanceof StorageError && error.serviceCode === "TableAlreadyExists")) throw error;
}
for (let i = 0; i < Number(count); i++) {
  const rowKeys = ["x", "y", "z"].map((suffix) => `${String(i).padStart(8, "0")}${suffix}`);
  await storage.transact(
    "Things",
    rowKeys.map((RowKey) => ({ type: "insert", entity: { PartitionKey: partitionKey, RowKey } })),
  );
  process.stdout.write(`${i}\n`);
}
