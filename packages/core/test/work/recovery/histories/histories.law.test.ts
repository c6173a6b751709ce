import { startTableServer } from "@partita/server";
import { amountOf } from "@partita/test-support/effort";
import { temporaryFolder } from "@partita/test-support/temporary-folder";
import { seedOf } from "@partita/test-support/seed";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTables, openStorage, type TableStorage } from "../../../../src/index.ts";
import { History } from "./history.ts";
import { Marked, Plain, scenarios } from "./scenarios.ts";

const runs = Number(process.env["PARTITA_HISTORIES"] ?? amountOf({ short: 50, full: 150, long: 3_000 }));
const firstSeed = seedOf("PARTITA_SEED", 1);
/** `memory`, `file` or `socket`. */
const target = process.env["PARTITA_HISTORIES_STORAGE"] ?? "memory";

const stack = new AsyncDisposableStack();
let inner: TableStorage;
beforeAll(async () => {
  inner = await openTarget();
  await createTables(inner, [Plain, Marked]);
});
afterAll(() => stack.disposeAsync());

test.each(scenarios)("$name: every report is true", async (scenario) => {
  for (let seed = firstSeed; seed < firstSeed + runs; seed++) {
    const history = new History(scenario, randomOf(seed), { inner, part: `${scenario.name} ${seed}` });
    await history.run(12);
    expect(history.violations, `seed ${seed}:\n${history.log.join("\n")}`).toEqual([]);
  }
});

async function openTarget(): Promise<TableStorage> {
  if (target === "memory") return stack.use(await openStorage("memory:"));
  if (target === "file")
    return stack.use(await openStorage(`file:${stack.use(await temporaryFolder()).file("a.db")}`));
  const server = stack.use(await startTableServer());
  return stack.use(await openStorage(server.connectionString));
}

/** A small generator of numbers from 0 to 1, the same for each seed. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
