import { type FaultPlan, virtualClock, withFaults, writeFaults } from "@partita/testing";
import { describe, expect, test } from "vitest";
import {
  createTables,
  defineEntity,
  int32,
  openStorage,
  type RetryPolicy,
  StorageError,
  TableContext,
  text,
} from "../../src/index.ts";
import { adaptive, exponential, fixed, noRetry } from "../../src/rest.ts";
import { waitOf } from "../../src/storage/retry-policy.ts";

class Note extends defineEntity({
  table: "Notes",
  partitionKey: { book: text() },
  rowKey: { id: text() },
  properties: { n: int32() },
}) {}

const busy = (retryAfterMs?: number): StorageError =>
  new StorageError("storage.server-busy", "Busy.", {
    applied: "maybe",
    status: 503,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
const lost = new StorageError("storage.connection-lost", "Lost.", { applied: "no" });

async function contextOver(
  plan: FaultPlan,
  options: { readonly retry?: RetryPolicy } = {},
): Promise<{
  context: TableContext;
  clock: ReturnType<typeof virtualClock>;
  requests: () => number;
}> {
  const inner = await openStorage("memory:");
  await createTables(inner, [Note]);
  const storage = withFaults(inner, plan);
  const clock = virtualClock();
  const context = new TableContext(storage, { clock, ...options });
  return { context, clock, requests: () => storage.requests.length };
}

describe("the wait of each policy", () => {
  test("fixed is always the same", () => {
    expect([1, 2, 3].map((n) => waitOf(fixed(9, 70), n, lost))).toEqual([70, 70, 70]);
  });

  test("exponential follows the guidance's formula", () => {
    const policy = exponential();
    expect(policy).toMatchObject({ attempts: 3, delayMs: 30_000, minMs: 3_000, maxMs: 90_000 });
    for (let i = 0; i < 200; i++) {
      const first = waitOf(policy, 1, lost);
      expect(first).toBeGreaterThanOrEqual(3_000 + 0.8 * 30_000);
      expect(first).toBeLessThanOrEqual(3_000 + 1.2 * 30_000);
      expect(waitOf(policy, 2, lost)).toBeGreaterThanOrEqual(3_000 + 0.8 * 90_000);
      expect(waitOf(policy, 2, lost)).toBeLessThanOrEqual(90_000);
      expect(waitOf(policy, 9, lost)).toBe(90_000);
    }
  });

  test("adaptive is random below a doubling limit, and slower for a busy service", () => {
    const policy = adaptive();
    const longest = (failures: number, error: StorageError): number =>
      Math.max(...Array.from({ length: 500 }, () => waitOf(policy, failures, error)));
    expect(longest(1, lost)).toBeLessThanOrEqual(50);
    expect(longest(3, lost)).toBeLessThanOrEqual(200);
    expect(longest(3, lost)).toBeGreaterThan(100);
    expect(longest(20, lost)).toBeLessThanOrEqual(5_000);
    expect(longest(1, busy())).toBeGreaterThan(500);
    expect(longest(1, busy())).toBeLessThanOrEqual(1_000);
  });

  test("a service that asks to wait is waited for, up to 30 seconds", () => {
    expect(waitOf(fixed(2, 10), 1, busy(2_000))).toBe(2_000);
    expect(waitOf(fixed(2, 5_000), 1, busy(2_000))).toBe(5_000);
    expect(waitOf(adaptive(), 1, busy(3_600_000))).toBe(30_000);
  });
});

test.each([
  { attempts: 0, delayMs: 0 },
  { attempts: 1.5, delayMs: 0 },
  { attempts: 2, delayMs: -1 },
  { attempts: 2, delayMs: Number.NaN },
  { attempts: 2, delayMs: 30_001 },
  { kind: "fibonacci", attempts: 2, delayMs: 1 },
  { kind: "adaptive", attempts: 2, delayMs: 1, maxMs: -1 },
  { attempts: 2, delayMs: 1, totalMs: -1 },
])("refuses the policy %j", (policy) => {
  const storage = { query: () => undefined } as never;
  expect(() => new TableContext(storage, { retry: policy as RetryPolicy })).toThrow(
    expect.objectContaining({ code: "context.option" }) as Error,
  );
});

test("a save is tried as its context says, or as it says itself", async () => {
  const { context, clock, requests } = await contextOver(
    writeFaults("refused", "refused", "refused", "refused", "refused"),
    { retry: fixed(2, 500) },
  );
  context.add(new Note({ book: "b", id: "1", n: 1 }));
  await expect(context.saveChanges()).rejects.toMatchObject({
    results: [{ attempts: 2, outcome: "rejected" }],
  });
  expect(clock.waits).toEqual([500]);
  await expect(context.saveChanges({ retry: noRetry })).rejects.toMatchObject({ results: [{ attempts: 1 }] });
  expect(requests()).toBe(3);
  const [result] = await context.saveChanges({ retry: fixed(3, 1) });
  expect(result).toMatchObject({ outcome: "committed", attempts: 3 });
  await expect(context.saveChanges({ retry: { attempts: -1, delayMs: 0 } })).rejects.toMatchObject({
    code: "context.option",
  });
});

test("reads are tried as their context says, or as they say themselves", async () => {
  let left = 0;
  const { context, clock } = await contextOver(({ type }) => {
    if (type !== "query" && type !== "get") return undefined;
    return left-- > 0 ? "garbage-before" : undefined;
  });
  const key = { book: "b", id: "1" };
  left = 3;
  expect(await context.find(Note, key)).toBeUndefined();
  expect(clock.waits).toHaveLength(3);
  left = 1;
  await expect(context.find(Note, key, { retry: noRetry })).rejects.toMatchObject({
    code: "storage.malformed-response",
  });
  left = 1;
  await expect(context.query(Note).where({ book: "b" }).toArray({ retry: noRetry })).rejects.toMatchObject({
    code: "storage.malformed-response",
  });
  left = 5;
  expect(
    await context
      .query(Note)
      .where({ book: "b" })
      .toArray({ retry: fixed(6, 7) }),
  ).toEqual([]);
  expect(clock.waits.slice(3)).toEqual([7, 7, 7, 7, 7]);
});

test("the whole of all tries has an end", async () => {
  const { context, clock } = await contextOver(() => "refused", {
    retry: { ...fixed(100, 20_000), totalMs: 50_000 },
  });
  await expect(context.find(Note, { book: "b", id: "1" })).rejects.toMatchObject({
    code: "storage.unreachable",
  });
  expect(clock.waits).toEqual([20_000, 20_000]);
});

test("a storage in trouble is left in peace: the budget is shared by its contexts, and earned back", async () => {
  let isDown = true;
  const inner = await openStorage("memory:");
  await createTables(inner, [Note]);
  const storage = withFaults(inner, () => (isDown ? "refused" : undefined));
  const find = async (): Promise<number> => {
    const before = storage.requests.length;
    const context = new TableContext(storage, { clock: virtualClock() });
    await context.find(Note, { book: "b", id: "1" }).catch(() => undefined);
    return storage.requests.length - before;
  };
  expect([await find(), await find(), await find(), await find(), await find()]).toEqual([4, 4, 4, 2, 1]);
  isDown = false;
  for (let i = 0; i < 10; i++) expect(await find()).toBe(1);
  isDown = true;
  expect([await find(), await find()]).toEqual([2, 1]);
});

test("cancelling ends the waiting", async () => {
  const { context } = await contextOver(() => "refused", { retry: fixed(50, 30_000) });
  const stop = new AbortController();
  stop.abort();
  await expect(context.find(Note, { book: "b", id: "1" }, { signal: stop.signal })).rejects.toMatchObject({
    code: "storage.cancelled",
  });
});

describe("createTables", () => {
  test("a table that is being deleted is waited for", async () => {
    const inner = await openStorage("memory:");
    let left = 3;
    const storage = {
      ...withFaults(inner, () => undefined),
      createTable: async (table: string) => {
        if (left-- > 0)
          throw new StorageError("storage.table-being-deleted", "Wait.", {
            applied: "no",
            status: 409,
            serviceCode: "TableBeingDeleted",
          });
        await inner.createTable(table);
      },
    };
    const clock = virtualClock();
    expect(await createTables(storage, [Note], { clock })).toEqual(["Notes"]);
    expect(clock.waits).toEqual([5_000, 5_000, 5_000]);
    left = 1000;
    await expect(createTables(storage, [Note], { clock: virtualClock() })).rejects.toMatchObject({
      code: "storage.table-being-deleted",
    });
  });
});
