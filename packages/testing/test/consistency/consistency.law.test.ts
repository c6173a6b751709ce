import { openStorage, StorageError, type TableContext, type TableStorage } from "@partita/core";
import type { WriteOperation } from "@partita/core/storage";
import { isFull, isLong } from "@partita/test-support/effort";
import { describe, expect, test } from "vitest";
import { randomFaults, virtualClock, withFaults } from "../../src/index.ts";
import { clockOverFaults } from "./clock-over-faults.ts";
import { contradictions } from "./check-history.ts";
import { openAccounts, runWorkload, type Update, type WorkloadOptions } from "./workload.ts";

interface Run {
  readonly history: readonly Update[];
  readonly problems: readonly string[];
  readonly faults: number;
  readonly requests: number;
}

/** A workload over faults; `wrap` puts a bug between the faults and the store. */
async function run(
  options: Pick<WorkloadOptions, "seed" | "updates" | "settle">,
  wrap: (storage: TableStorage) => TableStorage = (storage) => storage,
  rate = 0.15,
): Promise<Run> {
  const inner = await openStorage("memory:");
  await openAccounts(inner);
  const storage = withFaults(wrap(inner), randomFaults({ seed: options.seed, rate }));
  const history = await runWorkload({ storage, clock: clockOverFaults(storage), contexts: 8, ...options });
  await storage.settle();
  const problems = await contradictions(inner, history);
  const faults = storage.requests.filter(({ fault }) => fault !== undefined).length;
  await inner.close();
  return { history, problems, faults, requests: storage.requests.length };
}

const count = (history: readonly Update[], reported: Update["reported"]): number =>
  history.filter((update) => update.reported === reported).length;

// Rows remember every update: four runs cost a fraction of one that is four times as long.
test.each(isLong ? [[20_000, 1]] : [1, 2, 3, 4].map((seed) => [isFull ? 1500 : 1000, seed]))(
  "8 contexts, 16 rows, %d updates under 15 % faults: none lost, doubled or torn (seed %d)",
  async (updates, seed) => {
    const { history, problems, faults, requests } = await run({ seed, updates });

    expect(problems.join("\n")).toBe("");
    expect(count(history, "committed")).toBeGreaterThanOrEqual(updates);
    expect(faults / requests).toBeGreaterThan(0.13);
    // With write ids nearly every outcome can be found out.
    expect(count(history, "unknown")).toBeLessThan(history.length / 100);
    if (isLong) console.log({ tries: history.length, unknown: count(history, "unknown"), requests, faults });
  },
);

test(`${isLong ? 30 : 5} other runs of 500 updates under 15 % faults`, async () => {
  for (let seed = 12; seed < (isLong ? 42 : 17); seed++)
    expect((await run({ seed, updates: 500 })).problems.join("\n")).toBe("");
});

describe("the checker finds", () => {
  const few = { seed: 9, updates: 400 };

  test("updates that overwrite each other", async () => {
    const { problems } = await run(
      few,
      (storage) => changing(storage, (operation) => ({ ...operation, etag: "*" }) as WriteOperation),
      0,
    );
    expect(problems.join()).toContain("lost");
  });

  test("updates that are acknowledged and not stored", async () => {
    let turn = 0;
    const { problems } = await run(
      few,
      (storage) => ({
        ...forwarded(storage),
        transact: async (table, operations, options) =>
          ++turn % 50 === 0
            ? operations.map(() => ({ etag: 'W/"x"' }))
            : storage.transact(table, operations, options),
      }),
      0,
    );
    expect(problems.join()).toContain("lost");
  });

  test("transactions of which a part is stored", async () => {
    const { problems } = await run(
      few,
      (storage) => ({
        ...forwarded(storage),
        transact: async (table, operations, options) => {
          // A marker, and one row.
          const results = await storage.transact(table, operations.slice(0, 2), options);
          return operations.map(() => results[0] ?? {});
        },
      }),
      0,
    );
    expect(problems.join()).toContain("torn");
  });

  test("refusals that were none", async () => {
    let turn = 0;
    const { problems } = await run(
      few,
      (storage) => ({
        ...forwarded(storage),
        transact: async (table, operations, options) => {
          const results = await storage.transact(table, operations, options);
          if (++turn % 50 === 0) throw StorageError.ofService("UpdateConditionNotSatisfied");
          return results;
        },
      }),
      0,
    );
    expect(problems.join()).toContain("phantom");
  });

  test.each([
    ["an unknown outcome taken for a refusal", "rejected", /phantom/],
    ["an unknown outcome taken for a success", "committed", /lost/],
  ] as const)("%s", async (_name, reported, expected) => {
    const settle = async (_context: TableContext): Promise<Update["reported"]> => reported;
    const { problems } = await run({ seed: 10, updates: 2000, settle }, undefined, 0.6);
    expect(problems.join()).toMatch(expected);
  });

  test("an update that is applied twice", async () => {
    const inner = await openStorage("memory:");
    await openAccounts(inner);
    const history = await runWorkload({
      storage: inner,
      clock: virtualClock(),
      seed: 1,
      contexts: 2,
      updates: 50,
    });
    const key = { partitionKey: "b0", rowKey: "a0" };
    const row = await inner.get("Accounts", key);
    const log = JSON.parse(String(row?.["log"])) as string[];
    const doubled = JSON.stringify([...log, log[0]]);
    const entity = { PartitionKey: "b0", RowKey: "a0", log: doubled };
    await inner.write("Accounts", { type: "merge", entity, etag: "*" });
    expect((await contradictions(inner, history)).join()).toContain("doubled");
  });
});

/** A storage whose writes are changed on their way. */
function changing(
  storage: TableStorage,
  change: (operation: WriteOperation) => WriteOperation,
): TableStorage {
  return {
    ...forwarded(storage),
    write: (table, operation, options) => storage.write(table, change(operation), options),
    transact: (table, operations, options) => storage.transact(table, operations.map(change), options),
  };
}

/** All methods, so that some can be replaced. */
const forwarded = (storage: TableStorage): TableStorage => withFaults(storage, () => undefined);
