import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { compareTables } from "@partita/transfer";
import { openStorage } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import { startTableServer } from "@partita/server";
import { isLong } from "@partita/test-support/effort";
import { randomNumbers } from "@partita/testing";
import { storedEntity } from "@partita/testing/arbitraries";
import { startAzurite } from "@partita/test-support/azurite";
import { temporaryFolder } from "@partita/test-support/temporary-folder";
import { fc } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { fill } from "@partita/test-support/rows";

const worker = join(import.meta.dirname, "worker-process.ts");
const random = randomNumbers(20_261_123);

/** Where a worker dies: at its n-th request, before or after that is carried out. */
interface Death {
  readonly request: number;
  readonly isCarriedOut: boolean;
}

async function copy(from: string, to: string, death?: Death): Promise<"killed" | "done"> {
  const args = [from, to, String(death?.request ?? 0), String(death?.isCarriedOut ?? false)];
  const child = spawn(process.execPath, ["--conditions=@partita/source", worker, ...args], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code, signal] = (await once(child, "exit")) as [number | null, string | null];
  expect(code === 0 || signal === "SIGKILL").toBe(true);
  return signal === "SIGKILL" ? "killed" : "done";
}

/**
 * Copies with so many deaths on the way.
 *
 * @param span - the requests among which each of them falls; all of them are fewer than a copy has
 */
async function copyWithDeaths(from: string, to: string, deaths: number, span: number): Promise<void> {
  for (let i = 0; i < deaths; i++) {
    // The first eight find rows and open the job. Pages are claimed by the next, and then come their transactions.
    const request = 9 + Math.floor(random() * span);
    expect(await copy(from, to, { request, isCarriedOut: random() < 0.5 })).toBe("killed");
  }
  expect(await copy(from, to)).toBe("done");
}

/** Rows of all types, in partitions of 500. */
const rows = (count: number): StoredEntity[] =>
  fc.sample(storedEntity(4), { numRuns: count, seed: 20_261_123 }).map((row, i) => ({
    ...row,
    PartitionKey: `${Math.floor(i / 500)}`,
    RowKey: `${i}${row.RowKey}`,
  }));

/** Deaths on the way there, and as many on the way back. */
const kills = isLong ? 10 : 2;

test("a copy to a service and back, killed again and again on the way, is equal row by row", async () => {
  const total = isLong ? 60_000 : 3000;
  await using folder = await temporaryFolder();
  const [first, last] = [`file:${join(folder.path, "first.db")}`, `file:${join(folder.path, "last.db")}`];
  await using from = await openStorage(first, { durability: "normal" });
  await fill(from, "Rows", rows(total));
  await using server = await startTableServer();

  await copyWithDeaths(first, server.connectionString, kills, 16);
  await copyWithDeaths(server.connectionString, last, kills, 16);

  await using to = await openStorage(last);
  expect(await compareTables(from, to, "Rows")).toEqual({
    first: total,
    second: total,
    isEqual: true,
    differences: [],
  });
});

test("a copy to Azurite and back, killed on the way, is equal row by row", async () => {
  // Azurite loses properties of names that every object of JavaScript has, or fails.
  const isTaken = (row: StoredEntity): boolean =>
    Object.keys(row).every((name) => !(name.split("@", 1).join("") in {}));
  const taken = rows(isLong ? 3000 : 300).filter(isTaken);
  const total = taken.length;
  await using folder = await temporaryFolder();
  const [first, last] = [`file:${join(folder.path, "first.db")}`, `file:${join(folder.path, "last.db")}`];
  await using from = await openStorage(first, { durability: "normal" });
  await fill(from, "Rows", taken);
  const azurite = await startAzurite();
  try {
    await copyWithDeaths(first, azurite.connectionString, kills / 2, 4);
    await copyWithDeaths(azurite.connectionString, last, kills / 2, 4);
  } finally {
    await azurite.stop();
  }
  await using to = await openStorage(last);
  expect(await compareTables(from, to, "Rows")).toEqual({
    first: total,
    second: total,
    isEqual: true,
    differences: [],
  });
});
