import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { openStorage, type TableStorage } from "@partita/core";
import { openQueues } from "@partita/queues";
import { startQueueServer, startTableServer } from "@partita/server";
import { manualClock } from "@partita/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { accountsIn } from "../src/accounts.ts";
import { describeAccount } from "../src/describe-account.ts";
import { ownPrefix } from "../src/own-names.ts";
import type { Report } from "../src/report.ts";

// All that runs against real accounts, against our own server, by the same variable.

const runner = { describe, test, skip: test.skip, beforeAll, afterAll };
const day = 24 * 60 * 60 * 1000;

const storage: TableStorage = await openStorage("memory:");
const tables = await startTableServer({ storage });
const clock = manualClock();
const queues = await startQueueServer({ storage, clock, account: tables.account, key: tables.key });
const variable = `${tables.connectionString}QueueEndpoint=${queues.url};`;
afterAll(async () => {
  await queues.close();
  await tables.close();
  await storage.close();
});

const [account] = accountsIn({ AZURE_TABLES_CONNECTION_STRING: variable });
const kept = [`${ownPrefix(Date.now())}kept`, "Orders"];
const left = `${ownPrefix(Date.now() - day)}left`;
beforeAll(async () => {
  for (const table of [...kept, left]) await storage.createTable(table);
  await using other = await openQueues(variable);
  await other.createQueue(left);
});
let report: Report | undefined;
// It runs after that of the suite, which was declared later.
afterAll(async () => {
  await using served = await openQueues(variable);
  // The tables of the server itself.
  const own = ["PartitaQueues", "PartitaServerSettings"];
  const names = (await storage.listTables()).filter((name) => !own.includes(name));
  expect(names).toEqual(kept.toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)));
  expect(await served.listQueues()).toEqual([]);
  expect(Object.keys(report?.probes ?? {})).toHaveLength(4);
  expect(Object.values(report?.probes ?? {}).flat().length).toBeGreaterThan(30);
});

if (account === undefined) throw new Error("The variable names no account.");
describeAccount(account, {
  runner,
  advance: (ms) => clock.advance(ms),
  lateWindowMs: 400,
  publish: (measured) => {
    report = measured;
  },
});

test("without variables, one sentence says what to set, and the exit code is 78", () => {
  const script = join(import.meta.dirname, "../../run/test-cloud.mjs");
  const { AZURE_TABLES_CONNECTION_STRING: _a, COSMOS_TABLES_CONNECTION_STRING: _c, ...env } = process.env;
  const { status, stderr, stdout } = spawnSync(process.execPath, [script], { env, encoding: "utf8" });

  expect(status).toBe(78);
  expect(stdout).toBe("");
  expect(stderr.trim()).toBe(
    "Set AZURE_TABLES_CONNECTION_STRING or COSMOS_TABLES_CONNECTION_STRING, or both, to the connection string of an account that tests may use.",
  );
});
