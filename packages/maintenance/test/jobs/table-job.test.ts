import { setImmediate as nextTurn, setTimeout as delay } from "node:timers/promises";
import { withFaults, writeFaults } from "@partita/testing";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { openStorage, type TableStorage } from "@partita/core";
import { forwardStorage, retriesOf } from "@partita/core/internal";
import { fixed, noRetry } from "@partita/core/rest";
import type { StoredEntity, StoredPage } from "@partita/core/storage";
import { type Claim, JobRecord } from "../../src/jobs/job-record.ts";
import { Lease } from "../../src/jobs/lease.ts";
import { TableJob, type TableJobOptions } from "../../src/jobs/table-job.ts";

const table = "Things";

/** A table of so many rows that it takes several pages of 1000. */
async function storeOf(rows: number): Promise<TableStorage> {
  const storage = await openStorage("memory:");
  await storage.createTable(table);
  for (let start = 0; start < rows; start += 100) {
    const operations = Array.from({ length: Math.min(100, rows - start) }, (_, i) => ({
      type: "insert" as const,
      entity: { PartitionKey: "p", RowKey: String(start + i).padStart(5, "0") },
    }));
    await storage.transact(table, operations);
  }
  return storage;
}

const jobOn = (storage: TableStorage, options: Partial<TableJobOptions> = {}): TableJob =>
  new TableJob(storage, {
    table,
    name: "count",
    concurrency: 2,
    claimTimeoutMs: 10_000,
    retries: retriesOf(storage, noRetry),
    work: () => Promise.resolve(),
    ...options,
  });

const recordOn = (storage: TableStorage): JobRecord => new JobRecord(storage, "count", {});

const keysOf = (rows: readonly StoredEntity[]): string[] => rows.map(({ RowKey }) => RowKey);

test("every row is worked at once, by several workers and several jobs of one name", async () => {
  await using storage = await storeOf(3500);
  const seen: string[] = [];
  const work = async (rows: readonly StoredEntity[]): Promise<void> => {
    await delay(1);
    seen.push(...keysOf(rows));
  };
  const jobs = [jobOn(storage, { work }), jobOn(storage, { work })];
  await Promise.all(jobs.map((job) => job.open()));

  await Promise.all(jobs.map((job) => job.runPass()));

  expect(seen.length).toBe(3500);
  expect(new Set(seen).size).toBe(3500);
  expect(await recordOn(storage).claims()).toEqual([]);
  expect(await recordOn(storage).read()).toMatchObject({ isAtEnd: true, pass: 1 });
});

test("workers of one job read each page once", async () => {
  await using storage = await storeOf(3500);
  const query = vi.spyOn(storage, "query");
  const job = jobOn(storage, { concurrency: 4, work: () => nextTurn() });
  await job.open();
  await job.runPass();

  const pages = query.mock.calls.filter(([of, asked]) => of === table && asked.filter?.op !== "gt");
  expect(pages.length).toBe(5);
});

test("a claim moves the cursor, and of two workers with one cursor only one gets the page", async () => {
  await using storage = await storeOf(1);
  const record = recordOn(storage);
  const cursor = await record.open();
  const to = { partitionKey: "p", rowKey: "00000" };

  const [first, second] = [await record.claim(cursor, to), await record.claim(cursor, to)];

  expect(first).toMatchObject({ from: undefined, to, beat: 0, isAbandoned: false });
  expect(second).toBeUndefined();
  expect(await record.read()).toMatchObject({ after: to, isAtEnd: false });
  expect(await record.claims()).toEqual([first]);
});

test("a job that was stopped is resumed at its cursor: rows that are done are not worked at again", async () => {
  await using storage = await storeOf(3000);
  const stop = new AbortController();
  const first: string[] = [];
  const stopped = jobOn(storage, {
    concurrency: 1,
    signal: stop.signal,
    work: (rows, signal) => {
      if (first.length > 0) {
        stop.abort();
        signal.throwIfAborted();
      }
      first.push(...keysOf(rows));
      return Promise.resolve();
    },
  });
  await stopped.open();
  await expect(stopped.runPass()).rejects.toThrow(/abort|cancel/i);
  const second: string[] = [];

  await jobOn(storage, {
    work: (rows) => {
      second.push(...keysOf(rows));
      return Promise.resolve();
    },
  }).runPass();

  expect(first.length).toBe(1000);
  expect(second.toSorted()[0]).toBe("01000");
  expect([...first, ...second].toSorted()).toEqual(keysOf((await allOf(storage)).toSorted(byKey)));
});

test("a job that ended begins again with its next pass", async () => {
  await using storage = await storeOf(10);
  let worked = 0;
  const job = jobOn(storage, { work: (rows) => ((worked += rows.length), Promise.resolve()) });
  await job.open();

  await job.runPass();
  await job.runPass();

  expect(worked).toBe(20);
  expect(await recordOn(storage).read()).toMatchObject({ pass: 2 });
});

test("a signal stops the job before the next page, and leaves its claim to others at once", async () => {
  await using storage = await storeOf(2000);
  const stop = new AbortController();
  const job = jobOn(storage, {
    concurrency: 1,
    signal: stop.signal,
    work: async (_rows, signal) => {
      stop.abort();
      await delay(10_000, undefined, { signal });
    },
  });
  await job.open();

  await expect(job.runPass()).rejects.toThrow(/abort|cancel/i);

  expect(await recordOn(storage).claims()).toMatchObject([{ isAbandoned: true }]);
});

test("an error of the work ends every worker, and is the error of the pass", async () => {
  await using storage = await storeOf(4000);
  const job = jobOn(storage, {
    concurrency: 3,
    work: async (rows, signal) => {
      if (rows[0]?.RowKey === "00000") throw new RangeError("no such work");
      await delay(60_000, undefined, { signal });
    },
  });
  await job.open();

  await expect(job.runPass()).rejects.toThrow(RangeError);
});

test("an abandoned claim, and one that is not renewed, is taken over", async () => {
  await using storage = await storeOf(30);
  const record = recordOn(storage);
  const at = (rowKey: string) => ({ partitionKey: "p", rowKey });
  const abandoned = await record.claim(await record.open(), at("00009"));
  if (abandoned !== undefined) await record.abandon(abandoned);
  await record.claim(await record.read(), at("00019"));
  const seen: string[] = [];

  await jobOn(storage, {
    claimTimeoutMs: 60,
    work: (rows) => {
      seen.push(...keysOf(rows));
      return Promise.resolve();
    },
  }).runPass();

  // Under load, a worker here may lose a page to another one, which does it again.
  expect([...new Set(seen)].toSorted()).toEqual(keysOf(await allOf(storage)));
  expect(await record.claims()).toEqual([]);
});

describe("a lease", () => {
  beforeEach(() => {
    vi.useFakeTimers({
      toFake: ["setInterval", "clearInterval", "setTimeout", "clearTimeout", "performance"],
    });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const claimed = async (record: JobRecord): Promise<Claim> => {
    const claim = await record.claim(await record.open(), undefined);
    if (claim === undefined) throw new Error("The claim was not stored.");
    return claim;
  };
  const leaseOf = (record: JobRecord, claim: Claim): Lease =>
    new Lease(record, claim, 3000, performance.now(), new AbortController().signal);
  const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
    while (!(await isSo())) await nextTurn();
  };

  test("renews its claim for as long as its rows are worked at, and then removes it", async () => {
    await using storage = await storeOf(1);
    const record = recordOn(storage);
    const lease = leaseOf(record, await claimed(record));

    for (let beat = 1; beat <= 5; beat++) {
      vi.advanceTimersByTime(1000);
      await until(async () => (await record.claims())[0]?.beat === beat);
    }

    expect(lease.isLost).toBe(false);
    await lease.release();
    expect(await record.claims()).toEqual([]);
  });

  test("whose claim was taken over is lost, and releasing it leaves the claim to its new owner", async () => {
    await using storage = await storeOf(1);
    const record = recordOn(storage);
    const claim = await claimed(record);
    const lease = leaseOf(record, claim);
    const taken = await record.takeOver(claim);

    vi.advanceTimersByTime(1000);
    await until(() => lease.signal.aborted);
    await lease.release();

    expect(lease.isLost).toBe(true);
    expect(await record.claims()).toEqual([taken]);
  });

  test("that cannot be renewed is lost before others may take the claim over", async () => {
    await using storage = await storeOf(1);
    const record = recordOn(storage);
    const claim = await claimed(record);
    const unreachable = recordOn(withFaults(storage, () => "refused"));
    const lease = leaseOf(unreachable, claim);

    vi.advanceTimersByTime(2200);
    expect(lease.isLost).toBe(false);
    vi.advanceTimersByTime(100);

    expect(lease.isLost).toBe(true);
    await lease.abandon();
    expect(await record.claims()).toEqual([claim]);
  });
});

test("requests that failed and may pass are tried again, and the work goes on", async () => {
  await using inner = await storeOf(10);
  await jobOn(inner).open();
  const storage = withFaults(inner, writeFaults("refused", "refused"));
  let worked = 0;

  await jobOn(storage, {
    concurrency: 1,
    retries: retriesOf(storage, fixed(5, 0)),
    work: (rows) => ((worked += rows.length), Promise.resolve()),
  }).runPass();

  expect(worked).toBe(10);
});

async function allOf(storage: TableStorage): Promise<StoredEntity[]> {
  const rows: StoredEntity[] = [];
  let page = await storage.query(table, {});
  for (;;) {
    rows.push(...page.entities);
    if (page.next === undefined) return rows;
    page = await storage.query(table, { after: page.next });
  }
}

const byKey = (a: StoredEntity, b: StoredEntity): number => (a.RowKey < b.RowKey ? -1 : 1);

test("a pass over a store without key order ends with an error where its pages begin again", async () => {
  await using inner = await storeOf(10);
  let asked = 0;
  const circling = forwardStorage(inner, {
    isUnordered: true,
    query: async (name, query) => {
      if (name !== table) return inner.query(name, query);
      if (++asked > 200) throw new Error("Nobody noticed.");
      const { next, ...page } = await inner.query(name, { ...query, top: 3 });
      return { ...page, next: next ?? (await inner.query(name, { top: 3 })).next } as StoredPage;
    },
  });
  const job = jobOn(circling);
  await job.open();

  await expect(job.runPass()).rejects.toMatchObject({ code: "query.token-repeated" });
});
