import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { startAzurite } from "@partita/test-support/azurite";
import { expect, onTestFinished, test } from "vitest";

const targets = {
  memory: () => Promise.resolve("memory:"),
  "a file": async () => {
    const folder = await mkdtemp(join(tmpdir(), "partita-sources-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    return `file:${join(folder, "tables.db")}`;
  },
  Azurite: async () => {
    const azurite = await startAzurite();
    onTestFinished(() => azurite.stop());
    return azurite.connectionString;
  },
};

test.each(["memory", "a file", "Azurite"] as const)(
  "each item of the sources holds over %s, or has a reason",
  async (name) => {
    const main = join(import.meta.dirname, "../dist/main.js");
    const target = await targets[name]();

    // Not `spawnSync`, because this process reads the output of Azurite meanwhile.
    const child = spawn(process.execPath, [main, target], { stdio: ["ignore", "pipe", "pipe"] });
    const [stdout, stderr, [status]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "exit"),
    ]);

    expect(stderr).toBe("");
    const lines = stdout.split("\n");
    expect(lines.filter((line) => line.includes("| wrong |"))).toEqual([]);
    expect(lines.filter((line) => line.endsWith(" wrong."))).toEqual([
      "BigdataFileSystem: 92 hold, 8 in part, 11 not built, 0 wrong.",
      "Windows Azure Table: 100 hold, 1 in part, 2 not built, 0 wrong.",
      "Designing a Scalable Partitioning Strategy: 26 hold, 1 in part, 2 not built, 0 wrong.",
      "AtContent: 21 hold, 2 in part, 1 not built, 0 wrong.",
      "Page ranges and queues of Azure Storage: 19 hold, 0 in part, 1 not built, 0 wrong.",
    ]);
    expect(status).toBe(0);
  },
);
