import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { openStorage, type TableStorage } from "@partita/core";
import { followPages } from "@partita/core/internal";
import { compare, textLiteral } from "@partita/core/protocol";
import { amountOf } from "@partita/test-support/effort";
import { folderOfEachTest } from "@partita/test-support/folder-of-each-test";
import { expect, test } from "vitest";
import { verifyDatabase } from "../../src/index.ts";
import { fillAndHalve } from "./half-empty.ts";

const inFolder = folderOfEachTest();

interface Process extends ChildProcess {
  readonly lines: readonly string[];
}

/** A process group of its own, so a test can kill it together with the process of SQLite. */
function start(script: string, path: string): Process {
  const child = spawn(
    process.execPath,
    ["--no-warnings", "--conditions=@partita/source", join(import.meta.dirname, script), path],
    { stdio: ["pipe", "pipe", "inherit"], detached: true },
  );
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
  return Object.assign(child, { lines });
}

async function rowKeys(storage: TableStorage): Promise<string[]> {
  const rows: string[] = [];
  const filter = compare("eq", "PartitionKey", textLiteral("written"));
  for await (const { entities } of followPages(storage, "Things", { filter }))
    rows.push(...entities.map(({ RowKey }) => RowKey));
  return rows;
}

/** Kills a process and its children, unless they have ended. */
function kill(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

test("while compactions are killed, other processes read and write, and nothing is lost", async () => {
  const path = inFolder("things.db");
  await fillAndHalve(path, 2000);
  const writer = start("insert-process.ts", path);
  await using reader = await openStorage(`file:${path}`, { busyTimeoutMs: 600_000 });
  const kills = amountOf({ short: 1, full: 2, long: 40 });
  let rewrites = 0;
  for (let i = 0; i < kills; i++) {
    const compaction = start("compact-process.ts", path);
    const ended = once(compaction, "exit");
    while (!compaction.lines.includes("rewriting")) {
      expect((await rowKeys(reader)).length % 3).toBe(0);
      await delay(20);
    }
    rewrites++;
    await delay((i * 7) % 40);
    kill(compaction.pid as number);
    await ended;
    expect((await rowKeys(reader)).length % 3).toBe(0);
  }
  const last = start("compact-process.ts", path);
  const ended = once(last, "exit");
  while (last.exitCode === null) {
    expect((await rowKeys(reader)).length % 3).toBe(0);
    await delay(20);
  }
  await ended;
  writer.stdin?.end();
  await once(writer, "exit");

  expect(rewrites).toBe(kills);
  expect(last.lines.at(-1)).toBe("true");
  expect(writer.exitCode).toBe(0);
  const stored = new Set(await rowKeys(reader));
  expect(writer.lines.length).toBeGreaterThan(0);
  for (const line of writer.lines)
    for (const suffix of ["x", "y", "z"]) expect(stored).toContain(line.padStart(8, "0") + suffix);
  expect(await verifyDatabase(`file:${path}`)).toMatchObject({ isClean: true });
});
