// A process of its own: takes part in a background upgrade, and kills itself at a request of its own count.
import { openStorage } from "@partita/core";
import { countedStorage, countedUntil, deathOf, killProcess } from "@partita/test-support/death";
import { upgradeTable } from "../../../src/index.ts";
import { CountedOrder } from "./counted-order.ts";

/** A request by its number, counted from 1, and whether it is carried out before the process dies. */
const [path = "", lastRequest = "0", isCarriedOut = "false"] = process.argv.slice(2);

const counted = countedUntil(deathOf(lastRequest, isCarriedOut), killProcess);
await using storage = await openStorage(`file:${path}`, { busyTimeoutMs: 600_000, durability: "normal" });
await upgradeTable(countedStorage(storage, counted), [CountedOrder], {
  checkpoint: "kill",
  concurrency: 2,
  claimTimeoutMs: 400,
});
