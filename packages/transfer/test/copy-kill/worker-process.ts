// A process of its own: copies a table, and kills itself at a request of its own count.
import { openStorage, type TableStorage } from "@partita/core";
import { countedStorage, countedUntil, deathOf, killProcess } from "@partita/test-support/death";
import { copyTable } from "../../src/index.ts";

/** Both storages, a request by its number, counted from 1, and whether it is carried out before the process dies. */
const [source = "", target = "", lastRequest = "0", isCarriedOut = "false"] = process.argv.slice(2);
const counted = countedUntil(deathOf(lastRequest, isCarriedOut), killProcess);

const open = (place: string): Promise<TableStorage> =>
  place.startsWith("file:")
    ? openStorage(place, { busyTimeoutMs: 600_000, durability: "normal" })
    : openStorage(place);

await using from = await open(source);
await using to = await open(target);
await copyTable(countedStorage(from, counted), countedStorage(to, counted), "Rows", {
  concurrency: 2,
  claimTimeoutMs: 300,
});
