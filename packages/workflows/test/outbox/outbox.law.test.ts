import type { TableStorage } from "@partita/core";
import { amountOf, isLong } from "@partita/test-support/effort";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTables, runHistory } from "./history.ts";
import { memoryTables } from "./memory-tables.ts";

// Most requests here fail, and nobody looks where.
const { stackTraceLimit } = Error;
beforeAll(() => void (Error.stackTraceLimit = 0));
afterAll(() => void (Error.stackTraceLimit = stackTraceLimit));

/** Stored messages are handled, others are not, and nothing is left, whatever fails, is late or is killed. */
async function totalOf(
  histories: number,
  storageOf: () => TableStorage,
): Promise<{ readonly committed: number; readonly others: number }> {
  let [committed, sent] = [0, 0];
  for (let seed = 1; seed <= histories; seed++) {
    const history = await runHistory(storageOf(), seed);
    committed += history.committed;
    sent += history.sent;
  }
  return { committed, others: sent - committed };
}

test("what is stored is handled, what is not is not, and nothing is left", async () => {
  const histories = amountOf({ short: 500, full: 2000, long: 20_000 });
  const { committed, others } = await totalOf(histories, memoryTables);

  expect(committed).toBeGreaterThan(histories);
  expect(others).toBeGreaterThan(histories / 10);
});

test("over the embedded store, too", async () => {
  await using storage = await openTables();

  expect((await totalOf(isLong ? 5000 : 100, () => storage)).committed).toBeGreaterThan(100);
});
