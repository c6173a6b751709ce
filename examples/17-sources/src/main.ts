// Prints every item of the documents that Partita is built from, and whether it holds in a storage.
import { openStorage } from "@partita/core";
import { atcontent } from "./atcontent.ts";
import { bigdata } from "./bigdata.ts";
import { pageBlobs } from "./page-blobs.ts";
import { partitioning } from "./partitioning.ts";
import { type Result, runSource } from "./run-source.ts";
import { whitepaper } from "./whitepaper.ts";

const sources = [bigdata, whitepaper, partitioning, atcontent, pageBlobs];

// The tables are deleted at the end, so a prefix keeps them apart from those of other programs.
const tablePrefix = `Sources${Date.now().toString(36)}`;
const target = process.argv[2] ?? "memory:";
// Nothing here has to survive a loss of power.
const durability = target.startsWith("file:") ? "normal" : undefined;
await using storage = await openStorage(target, { tablePrefix, durability });
try {
  for (const [i, source] of sources.entries()) {
    console.log(`## ${source.title}\n\n| Section | Item | Result | Observed |\n| --- | --- | --- | --- |`);
    const counts: Record<Result, number> = { holds: 0, "in part": 0, "not built": 0, wrong: 0 };
    for await (const { chapter, title, result, notes } of runSource(storage, source, `s${i}`)) {
      counts[result] += 1;
      console.log(`| ${chapter} | ${title} | ${result} | ${notes} |`);
    }
    const { holds, "in part": inPart, "not built": notBuilt, wrong } = counts;
    console.log(
      `\n${source.title}: ${holds} hold, ${inPart} in part, ${notBuilt} not built, ${wrong} wrong.\n`,
    );
    if (wrong > 0) process.exitCode = 1;
  }
} finally {
  for (const table of await storage.listTables()) await storage.deleteTable(table);
}
