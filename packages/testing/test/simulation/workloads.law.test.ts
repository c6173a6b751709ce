import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStorage } from "@partita/core";
import { forwardStorage, prefixTables } from "@partita/core/internal";
import { initPostgres } from "@partita/postgres";
import { amountOf } from "@partita/test-support/effort";
import { afterAll, describe, expect, test } from "vitest";
import { startTableServer } from "@partita/server";
import { simulate, type SimulateOptions } from "../../src/index.ts";
import { historiesOf } from "./histories.ts";
import { knownViolations } from "./known-violations.ts";
import type { Proof } from "./workload.ts";
import { scenarioOf, workloadsOf } from "./workloads.ts";

const seeds = Number(process.env["PARTITA_SEEDS"] ?? amountOf({ short: 10, full: 20, long: 3000 }));

/** One workload alone, by `PARTITA_WORKLOAD`. */
const chosen = process.env["PARTITA_WORKLOAD"];

/**
 * Where each run stores its rows, by `PARTITA_STORE`: in memory, in a file of its own, behind a server, or in the
 * PostgreSQL database of `PARTITA_POSTGRES`.
 */
const stores: Readonly<Record<string, () => Promise<SimulateOptions["storage"]>>> = {
  async memory() {
    return undefined;
  },
  async file() {
    const folder = await mkdtemp(join(tmpdir(), "partita-workloads-"));
    let runs = 0;
    afterAll(() => rm(folder, { recursive: true }));
    return ({ clock }) =>
      openStorage(`file:${join(folder, `${++runs}.db`)}`, { clock, durability: "normal" });
  },
  async sockets() {
    const server = await startTableServer();
    let runs = 0;
    afterAll(() => server.close());
    return () => openStorage(server.connectionString, { tablePrefix: `run${++runs}` });
  },
  async postgres() {
    const target = `${process.env["PARTITA_POSTGRES"]}?schema=simulation${process.pid}`;
    await initPostgres(target);
    const shared = await openStorage(target);
    let runs = 0;
    afterAll(() => shared.close());
    // A connection for each of thousands of runs would take longer than the runs.
    return () => forwardStorage(prefixTables(shared, `run${++runs}`), { close: async () => {} });
  },
};
const storage = await stores[process.env["PARTITA_STORE"] ?? "memory"]?.();

/** Two fifths of all requests fail, and two thirds of the writes among them arrive late. */
const options: SimulateOptions = {
  seeds,
  storage,
  actors: 2,
  steps: 3,
  faults: { rate: 0.4, late: 2 / 3 },
  // A history is shrunk for somebody who reads it.
  ...(chosen !== undefined && { maxShrinks: 0 }),
};

const known = new Map(knownViolations.map((each) => [each.name, each]));
/** Whether so many seeds show what does not hold yet. */
const isKnown = (name: string): boolean => (known.get(name)?.seed ?? Number.POSITIVE_INFINITY) <= seeds;
const proofs: readonly [Proof["proof"], Proof][] = [
  ["content", { proof: "content" }],
  ["marker", { proof: "marker" }],
];

describe.each(proofs)("with proof by %s", (label, proof) => {
  const workloads = workloadsOf(proof)
    .filter(({ name }) => chosen === undefined || name === chosen)
    .map((workload) => ({
      workload,
      checks: workload.checks.filter(({ name }) => !isKnown(`${workload.name}/${name}/${label}`)),
    }));

  for (const { workload, checks } of workloads.filter((each) => each.checks.length > 0))
    test(`${workload.name}: ${checks.map(({ name }) => name).join(", ")}`, async () => {
      const report = await simulate(scenarioOf(workload, checks), options);

      expect(report.runs).toBe(seeds);
      expect(report.faults / report.requests).toBeGreaterThan(0.2);
      expect(report.lateArrivals).toBeGreaterThan(0);
    });

  for (const { name, scenario, options: own } of historiesOf(proof).filter(
    (each) => !isKnown(`${each.name}/${label}`),
  ))
    test(`history: ${name}`, async () => {
      await expect(simulate(scenario, own)).resolves.toMatchObject({ runs: own.seeds });
    });
});

test("what does not hold yet is listed once, by a name that there is, with its seed and its reason", () => {
  const names = proofs.flatMap(([label, proof]) => [
    ...workloadsOf(proof).flatMap(({ name, checks }) =>
      checks.map((check) => `${name}/${check.name}/${label}`),
    ),
    ...historiesOf(proof).map(({ name }) => `${name}/${label}`),
  ]);

  expect(known.size).toBe(knownViolations.length);
  expect([...known.keys()].filter((name) => !names.includes(name))).toEqual([]);
  for (const { seed, reason } of knownViolations) expect([seed > 0, reason !== ""]).toEqual([true, true]);
});
