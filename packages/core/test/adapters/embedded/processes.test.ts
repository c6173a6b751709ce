import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openStorage } from "../../../src/index.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "partita-"));
});
afterEach(() => rm(folder, { recursive: true }));

const writer = join(import.meta.dirname, "writer-process.ts");

function start(...args: string[]): ChildProcess & { readonly lines: string[] } {
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
  return Object.assign(child, { lines });
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
  const path = join(folder, "shared.db");
  const children = ["a", "b", "c"].map((name) => start(path, name, "200"));

  const exits = await Promise.all(children.map((child) => once(child, "exit")));

  expect(exits.map(([code]) => code as number)).toEqual([0, 0, 0]);
  for (const name of ["a", "b", "c"]) expect(await countRows(path, name)).toHaveLength(600);
});

test("several processes create one file at once", async () => {
  for (let round = 0; round < 4; round++) {
    const path = join(folder, `new${round}.db`);
    const children = ["a", "b", "c", "d"].map((name) => start(path, name, "1"));
    const exits = await Promise.all(children.map((child) => once(child, "exit")));

    expect(exits.map(([code]) => code as number)).toEqual([0, 0, 0, 0]);
  }
});

test("after kill -9 every acknowledged write is there, and no transaction is torn", async () => {
  const path = join(folder, "killed.db");
  for (let round = 0; round < 5; round++) {
    const child = start(path, `round${round}`, "1000000");
    while (child.lines.length < 3 + round * 7) await new Promise((resolve) => setTimeout(resolve, 5));
    child.kill("SIGKILL");
    await once(child, "exit");

    const acknowledged = child.lines.length;
    const rows = await countRows(path, `round${round}`);
    // Each acknowledged line is a transaction of three rows.
    expect(rows.length % 3).toBe(0);
    expect(rows.length / 3).toBeGreaterThanOrEqual(acknowledged);
  }
});
