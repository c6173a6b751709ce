import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { createTables, openStorage, TableContext } from "@partita/core";
import { isLong } from "@partita/test-support/effort";
import { type TemporaryFolder, temporaryFolder } from "@partita/test-support/temporary-folder";
import { afterAll, beforeAll, expect, test } from "vitest";
import { appends, type Observation, randomNumbers, type SimulatedRun } from "../../../src/index.ts";
import { group, List, type Note, storedLists } from "./lists.ts";

const program = join(import.meta.dirname, "worker-process.ts");
const workers = 2;
const transactions = 40;
const random = randomNumbers(20_261_125);

let code: TemporaryFolder;
beforeAll(async () => void (code = await temporaryFolder()));
afterAll(() => code[Symbol.asyncDispose]());

/** Runs one process. @returns what it observed, and whether it was killed */
async function run(
  path: string,
  name: string,
  request: number,
): Promise<{ readonly observations: Observation[]; readonly isKilled: boolean }> {
  const args = [path, name, transactions, request, random() < 0.5].map(String);
  const child = spawn(process.execPath, ["--conditions=@partita/source", program, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
    // Most of a process's life would be reading the sources.
    env: { ...process.env, NODE_COMPILE_CACHE: code.file("code") },
  });
  const [output, [exitCode, signal]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  expect(exitCode === 0 || signal === "SIGKILL").toBe(true);
  const steps = new Map<number, Note>();
  for (const line of output.split("\n").filter((each) => each !== "")) {
    const note = JSON.parse(line) as Note;
    steps.set(note.step, { ...steps.get(note.step), ...note });
  }
  const observations = Array.from(steps.values(), (note): Observation => ({
    actor: name,
    type: "lists",
    name: group,
    operation: "transact",
    value: [],
    outcome: "running",
    result: undefined,
    began: 0,
    ended: Number.POSITIVE_INFINITY,
    at: 0,
    ...note,
  }));
  return { observations, isKilled: signal === "SIGKILL" };
}

test("processes that append to lists of one file, and are killed, lose and double nothing", async () => {
  const rounds = isLong ? 100 : 3;
  await using folder = await temporaryFolder();
  const path = folder.file("lists.db");
  await using storage = await openStorage(`file:${path}`, { busyTimeoutMs: 600_000, durability: "normal" });
  await createTables(storage, [List]);
  const context = new TableContext(storage);
  for (const name of ["a", "b", "c"]) context.add(new List({ group, name, values: [] }));
  await context.saveChanges();

  const observations: Observation[] = [];
  let kills = 0;
  for (let round = 1; round <= rounds; round++) {
    // Of the last ones nobody dies.
    const death = (): number => (round === rounds ? 0 : 1 + Math.floor(random() * 60));
    const names = Array.from({ length: workers }, (_, i) => `worker ${round}.${i + 1}`);
    for (const ended of await Promise.all(names.map((name) => run(path, name, death())))) {
      observations.push(...ended.observations);
      if (ended.isKilled) kills++;
    }
  }

  const check = appends({ stored: () => storedLists(new TableContext(storage)) });
  const observed = { journal: { observations } } as unknown as SimulatedRun;
  expect(await check.begin(observed).atEnd?.()).toBeUndefined();
  expect(kills).toBe(workers * (rounds - 1));
  const outcomes = observations.map(({ outcome }) => outcome);
  expect(outcomes.filter((one) => one === "done").length).toBeGreaterThan(transactions / 2);
  expect(outcomes.filter((one) => one === "running").length).toBeGreaterThan(0);
});
