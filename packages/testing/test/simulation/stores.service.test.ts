import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStorage } from "@partita/core";
import { expect, test } from "vitest";
import { startTableServer } from "@partita/server";
import {
  invariant,
  type JournalEntry,
  type Scenario,
  simulate,
  type SimulateOptions,
} from "../../src/index.ts";
import { Account, sumOf, transfers } from "./workshop.ts";

const options: SimulateOptions = { seeds: 20, actors: 3, faults: { rate: 0.3, late: 2 / 3 } };

/** What a run did, without what stores are free to choose: ETags and Timestamps. */
async function historiesOf(storage: SimulateOptions["storage"]): Promise<string[]> {
  const histories: string[] = [];
  const plain = ({ rows, etags: _etags, operations, ...entry }: JournalEntry): unknown => ({
    ...entry,
    rows: rows.map(({ RowKey, balance }) => [RowKey, balance]),
    operations: operations.map(({ type }) => type),
  });
  const declared: Scenario = {
    ...transfers(
      1,
      invariant(Account, (accounts) => sumOf(accounts) === 300),
    ),
    check: ({ journal }) => void histories.push(JSON.stringify(journal.entries.map(plain))),
  };
  await simulate(declared, { ...options, storage });
  return histories;
}

test("a file and a server on sockets give the same histories as memory", async () => {
  const inMemory = await historiesOf(undefined);

  const folder = await mkdtemp(join(tmpdir(), "partita-simulation-"));
  const inFiles = await historiesOf(({ run, clock }) =>
    openStorage(`file:${join(folder, `${run}.db`)}`, { clock, durability: "normal" }),
  );
  await rm(folder, { recursive: true });
  expect(inFiles).toEqual(inMemory);

  await using server = await startTableServer();
  const overSockets = await historiesOf(({ run }) =>
    openStorage(server.connectionString, { tablePrefix: `run${run}` }),
  );
  expect(overSockets).toEqual(inMemory);
});
