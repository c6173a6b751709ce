import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { openStorage } from "@partita/core";
import { folderOfEachTest } from "@partita/test-support/folder-of-each-test";
import { beforeEach, expect, test } from "vitest";
import { main } from "../published.ts";

const inFolder = folderOfEachTest();
const target = (): string => `file:${inFolder("blogs.db")}`;
const out = (): string => inFolder("out");

beforeEach(async () => {
  await mkdir(out());
  await using storage = await openStorage(target());
  await storage.createTable("Blogs");
  for (let i = 0; i < 40; i++)
    await storage.transact(
      "Blogs",
      Array.from({ length: 100 }, (_, row) => ({
        type: "insert",
        entity: { PartitionKey: `p${i}`, RowKey: `${row}`, text: `${row} `.repeat(2000) },
      })),
    );
});

/** The system's temporary folder is the folder of the test. */
const options = () => ({ env: { ...process.env, TMPDIR: out(), TEMP: out(), TMP: out() } });
const start = (...args: readonly string[]): ChildProcess =>
  spawn(process.execPath, [main, ...args], { ...options(), stdio: ["pipe", "ignore", "inherit"] });
const run = (...args: readonly string[]): number | null =>
  spawnSync(process.execPath, [main, ...args], { ...options(), input: "" }).status;

/** Kills a command as soon as it has a temporary file or folder. */
async function killOnceItWrites(command: ChildProcess): Promise<void> {
  const ended = once(command, "exit");
  while (command.exitCode === null && (await readdir(out())).length === 0) await delay(1);
  command.kill("SIGKILL");
  await ended;
  expect(await readdir(out())).toEqual([expect.stringMatching(/^\.partita-/)]);
}

test.each([
  ["export", () => ["export", target(), "Blogs", "-o", `${out()}/blogs.csv`], "blogs.csv"],
  ["backup", () => ["backup", target(), `${out()}/blogs.backup`], "blogs.backup"],
] as const)("a killed %s leaves a part, which the next one removes", async (_name, args, file) => {
  await killOnceItWrites(start(...args()));

  expect(run(...args())).toBe(0);
  expect(await readdir(out())).toEqual([file]);
});

test("a killed import --dry-run leaves its scratch folder to the next one", async () => {
  const args = ["import", target(), "Blogs", "-", "--existing", "replace", "--dry-run"];
  await killOnceItWrites(start(...args));

  expect(run(...args)).toBe(0);
  expect(await readdir(out())).toEqual([]);
});
