// A process of its own: takes part in building an index, and kills itself at a request of its own count.
import { openStorage } from "@partita/core";
import { countedStorage, countedUntil, deathOf, killProcess } from "@partita/test-support/death";
import { buildIndex } from "../../src/index.ts";
import { BuildingRunner, withSmallPages } from "./runners.ts";

/** A request by its number, counted from 1, and whether it is carried out before the process dies. */
const [path = "", index = "", lastRequest = "0", isCarriedOut = "false"] = process.argv.slice(2);

const counted = countedUntil(deathOf(lastRequest, isCarriedOut), killProcess);
await using storage = await openStorage(`file:${path}`, { busyTimeoutMs: 600_000, durability: "normal" });
const { verification } = await buildIndex(
  countedStorage(withSmallPages(storage), counted),
  BuildingRunner,
  index as "byAge",
  { concurrency: 2, claimTimeoutMs: 400 },
);
const { missing, extra, different, isClean } = verification;
process.stdout.write(JSON.stringify({ missing, extra, different, isClean }));
