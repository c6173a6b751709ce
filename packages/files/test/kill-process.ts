// A process of its own: writes, moves or reclaims files, and kills itself at a request of its own count.
import { openStorage } from "@partita/core";
import { countedStorage, countedUntil, deathOf, killProcess } from "@partita/test-support/death";
import { tableFiles } from "../src/index.ts";

const [path = "", work = "", lastRequest = "0", isCarriedOut = "false", daysLater = "0", isSmall = "false"] =
  process.argv.slice(2);

const offset = Number(daysLater) * 86_400_000;
const clock = {
  now: () => Date.now() + offset,
  wait: (ms: number) => new Promise<void>((go) => setTimeout(go, ms)),
};
const counted = countedUntil(deathOf(lastRequest, isCarriedOut), killProcess);
await using storage = await openStorage(`file:${path}`);
const files = tableFiles(countedStorage(storage, counted), {
  name: "Docs",
  ...(isSmall === "true" ? { blockSize: 20_000, smallFileBytes: 1_000_000 } : { blockSize: 1000 }),
  clock,
  zones: { "/": { keepDeletedMs: 0 } },
});
if (work === "write") await files.write("/a", "new ".repeat(50_000));
if (work === "move") await files.move("/a", "/b");
if (work === "reclaim") await files.reclaim({ claimTimeoutMs: 400, concurrency: 1 });
