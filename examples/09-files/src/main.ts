// A log with several writers, a file as a queue, and a folder copied in and out.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStorage } from "@partita/core";
import { tableFiles } from "@partita/files";
import { copyIn, copyOut, isSame } from "./folder.js";
import { followLog } from "./log.js";
import { shareQueue } from "./queue.js";

const folder = await mkdtemp(join(tmpdir(), "partita-files-"));
try {
  await using storage = await openStorage(`file:${join(folder, "files.db")}`);
  const files = tableFiles(storage, { name: "Docs" });

  const lines = await followLog(files, "/logs/app", 4, 25);
  const orders = [1, 2, 3, 4].map((writer) => lines.filter((line) => line.startsWith(`writer ${writer}:`)));
  const isOrdered = orders.every((own) =>
    own.every((line, i) => line === `${line.split(":")[0]}: line ${i + 1}\n`),
  );
  console.log(
    `Log: 4 writers, ${lines.length} lines, each writer's in its order: ${isOrdered ? "yes" : "no"}.`,
  );

  const taken = await shareQueue(files, "/queue", 60, 3);
  const all = taken.flat();
  console.log(`Queue: 3 consumers took ${all.length} items, ${new Set(all).size} different ones.`);

  const own = join(import.meta.dirname, "../src");
  const copied = await copyIn(files, own, "/src");
  await copyOut(files, "/src", join(folder, "out"));
  console.log(
    `Folder: ${copied} files copied in and out, the same: ${(await isSame(own, join(folder, "out"))) ? "yes" : "no"}.`,
  );

  const deleted = await files.deleteAll("/src/", "/src0");
  console.log(
    `Deleted ${deleted} files; ${(await files.versions("/src/main.ts"))[0]?.state} versions stay for a week.`,
  );
} finally {
  await rm(folder, { recursive: true });
}
