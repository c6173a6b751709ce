import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { startTableServer } from "@partita/server";
import { amountOf } from "@partita/test-support/effort";
import { folderOfEachTest } from "@partita/test-support/folder-of-each-test";
import { expect, test } from "vitest";
import { createTables, openStorage, TableContext, type TableStorage } from "../../../src/index.ts";
import { User } from "./users.ts";

const inFolder = folderOfEachTest();
const races = amountOf({ short: 50, full: 300, long: 10_000 });
/** Races of one message, which the processes run concurrently. */
const width = 10;

interface Racer {
  readonly take: (races: readonly number[]) => Promise<readonly string[]>;
  readonly end: () => void;
}

async function startRacer(target: string, country: string): Promise<Racer> {
  const child = fork(join(import.meta.dirname, "race-process.ts"), [target, country], {
    execArgv: ["--no-warnings", "--conditions=@partita/source"],
  });
  await once(child, "message");
  return {
    async take(numbers) {
      child.send([...numbers]);
      const [results] = (await once(child, "message")) as [readonly string[]];
      return results;
    },
    end: () => child.disconnect(),
  };
}

/** Lets two processes race for one address after another. */
async function race(storage: TableStorage, target: string): Promise<void> {
  await createTables(storage, [User]);
  const racers = await Promise.all(["IS", "NO"].map((country) => startRacer(target, country)));
  for (let from = 0; from < races; from += width) {
    const numbers = Array.from({ length: width }, (_, i) => from + i);
    const [first = [], second = []] = await Promise.all(racers.map(({ take }) => take(numbers)));
    for (const [i, number] of numbers.entries()) {
      const results = [first[i] as string, second[i] as string];
      expect(
        results.filter((result) => result === "saved"),
        `race ${number}: ${results.join("; ")}`,
      ).toHaveLength(1);
      expect(results.find((result) => result !== "saved")).toMatch(/must be unique in the index email/);
    }
  }
  for (const { end } of racers) end();
  const users = await new TableContext(storage).query(User).scan().toArray();
  expect(new Set(users.map(({ email }) => email)).size).toBe(races);
  expect(users).toHaveLength(races);
}

test(`of two processes that want one address, exactly one gets it, in ${races} races over a file`, async () => {
  const target = `file:${inFolder("users.db")}`;
  await using storage = await openStorage(target);

  await expect(race(storage, target)).resolves.toBeUndefined();
});

test(`of two processes that want one address, exactly one gets it, in ${races} races over REST`, async () => {
  await using server = await startTableServer();
  await using storage = await openStorage(server.connectionString);

  await expect(race(storage, server.connectionString)).resolves.toBeUndefined();
});
