// A process of its own: takes part in a move, and kills itself at a request of its own count.
import { openStorage } from "@partita/core";
import { countedStorage, countedUntil, deathOf, killProcess } from "@partita/test-support/death";
import { moveRows } from "../../src/index.ts";
import { Post, PostByMonth } from "./feeds.ts";

/** A request by its number, counted from 1, and whether it is carried out before the process dies. */
const [path = "", lastRequest = "0", isCarriedOut = "false"] = process.argv.slice(2);

const counted = countedUntil(deathOf(lastRequest, isCarriedOut), killProcess);
await using storage = await openStorage(`file:${path}`, { busyTimeoutMs: 600_000, durability: "normal" });
const report = await moveRows(countedStorage(storage, counted), PostByMonth, Post, {
  concurrency: 2,
  claimTimeoutMs: 400,
});
process.stdout.write(JSON.stringify({ isClean: report.isClean, leftCount: report.leftCount }));
