// A process of its own: takes part in a background upgrade, and says when it works and when it is done.
import { openStorage, upgradeTable } from "../../../src/index.ts";
import { CountedOrder } from "./counted-order.ts";

const [path = ""] = process.argv.slice(2);

await using storage = await openStorage(`file:${path}`, { busyTimeoutMs: 20_000, durability: "normal" });
process.stdout.write("started\n");
const report = await upgradeTable(storage, [CountedOrder], {
  checkpoint: "kill",
  concurrency: 2,
  claimTimeoutMs: 150,
});
process.stdout.write(`done ${report.isClean}\n`);
