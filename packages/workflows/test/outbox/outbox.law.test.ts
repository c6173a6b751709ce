import { afterAll, beforeAll, expect, test } from "vitest";
import { openTables, runHistory } from "./history.ts";

const isLong = process.env["PARTITA_LONG"] !== undefined;
const histories = isLong ? 20_000 : 2000;

// Most requests here fail, and nobody looks where.
const { stackTraceLimit } = Error;
beforeAll(() => void (Error.stackTraceLimit = 0));
afterAll(() => void (Error.stackTraceLimit = stackTraceLimit));

test("what is stored is handled, what is not is not, and nothing is left, whatever fails, is late or is killed", async () => {
  await using storage = await openTables();
  let [committed, sent] = [0, 0];
  for (let seed = 1; seed <= histories; seed++) {
    const history = await runHistory(storage, seed);
    committed += history.committed;
    sent += history.sent;
  }
  expect(committed).toBeGreaterThan(histories);
  expect(sent - committed).toBeGreaterThan(histories / 10);
});
