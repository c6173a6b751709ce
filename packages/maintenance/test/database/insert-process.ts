// A process of its own: writes transactions of three rows until its input ends, and says so after each is acknowledged.
import { openStorage } from "@partita/core";

const [path = ""] = process.argv.slice(2);

await using storage = await openStorage(`file:${path}`, { busyTimeoutMs: 600_000 });
let isEnding = false;
process.stdin.on("end", () => (isEnding = true)).resume();
for (let i = 0; !isEnding; i++) {
  const rowKeys = ["x", "y", "z"].map((suffix) => `${String(i).padStart(8, "0")}${suffix}`);
  await storage.transact(
    "Things",
    rowKeys.map((RowKey) => ({ type: "insert", entity: { PartitionKey: "written", RowKey } })),
  );
  process.stdout.write(`${i}\n`);
}
