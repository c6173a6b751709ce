import { amountOf } from "@partita/test-support/effort";
import { folderOfEachTest } from "@partita/test-support/folder-of-each-test";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openStorage } from "../../../src/index.ts";

const inFolder = folderOfEachTest();

const writer = join(import.meta.dirname, "writer-process.ts");

interface Writer extends ChildProcess {
  readonly lines: readonly string[];
  /** Ends once so many lines were read, or the process has. */
  untilLines(count: number): Promise<void>;
}

function start(...args: string[]): Writer {
  const child = spawn(process.execPath, ["--conditions=@partita/source", writer, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines: string[] = [];
  child.stdout?.setEncoding("utf8");
  let rest = "";
  child.stdout?.on("data", (chunk: string) => {
    const parts = (rest + chunk).split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts);
  });
  const untilLines = (count: number): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (lines.length >= count) resolve();
      };
      child.stdout?.on("data", look);
      child.once("close", () => resolve());
      look();
    });
  return Object.assign(child, { lines, untilLines });
}

async function countRows(path: string, partitionKey: string): Promise<string[]> {
  await using storage = await openStorage(`file:${path}`);
  const rows: string[] = [];
  let after;
  do {
    const page = await storage.query("Things", {
      filter: { op: "eq", name: "PartitionKey", literal: { edm: "Edm.String", value: partitionKey } },
      ...(after !== undefined && { after }),
    });
    rows.push(...page.entities.map((entity) => entity.RowKey));
    after = page.next;
  } while (after !== undefined);
  return rows;
}

test("several processes write to one file, and nothing is lost", async () => {
  const path = inFolder("shared.db");
  const children = ["a", "b", "c"].map((name) => start(path, name, "200"));

  const exits = await Promise.all(children.map((child) => once(child, "exit")));

  expect(exits.map(([code]) => code as number)).toEqual([0, 0, 0]);
  for (const name of ["a", "b", "c"]) expect(await countRows(path, name)).toHaveLength(600);
});

test("several processes create one file at once", async () => {
  for (let round = 0; round < 2; round++) {
    const path = inFolder(`new${round}.db`);
    const children = ["a", "b", "c", "d"].map((name) => start(path, name, "1"));
    const exits = await Promise.all(children.map((child) => once(child, "exit")));

    expect(exits.map(([code]) => code as number)).toEqual([0, 0, 0, 0]);
  }
});

// Long form: 200 cycles.
const cycles = amountOf({ short: 2, full: 5, long: 200 });

test(`${cycles} kills -9 while writing: every acknowledged write is there, no transaction is torn, nothing is invented`, async () => {
  const path = inFolder("killed.db");
  for (let round = 0; round < cycles; round++) {
    const child = start(path, `round${round}`, "1000000");
    // A kill at any time: in the first transaction, in the middle, while the log is brought into the file.
    // What it said arrives until its output is closed.
    const closed = once(child, "close");
    await child.untilLines(1 + ((round * 37) % 400));
    child.kill("SIGKILL");
    expect(await closed).toEqual([null, "SIGKILL"]);

    const acknowledged = child.lines.length;
    const rows = await countRows(path, `round${round}`);
    const whole = rows.length / 3;
    expect(whole).toBeGreaterThanOrEqual(acknowledged);
    // One transaction may have been stored without its acknowledgement; each has three rows.
    expect(whole).toBeLessThanOrEqual(acknowledged + 1);
    expect(rows).toEqual(
      Array.from({ length: whole }, (_, i) =>
        ["x", "y", "z"].map((end) => `${String(i).padStart(8, "0")}${end}`),
      ).flat(),
    );
  }
  // The rounds before were not disturbed.
  expect((await countRows(path, "round0")).length % 3).toBe(0);
});
