import { warningsDuring } from "@partita/test-support/warnings";
import { defineEntity, openStorage, StorageError, type TableStorage, text } from "@partita/core";
import { constant, verbatim } from "@partita/core/keys";
import type { StoredEntity } from "@partita/core/storage";
import { forwardStorage } from "@partita/core/internal";
import { type EventClock, eventClock } from "@partita/test-support/event-clock";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  stressPartition,
  type StressOptions,
  type StressProgress,
  type StressReport,
} from "../../src/index.ts";

class Blog extends defineEntity({
  table: "Blogs",
  partitionKey: { channel: text() },
  rowKey: { id: text() },
  properties: { text: text() },
}) {}

let memory: TableStorage;
let clock: EventClock;
beforeEach(async () => {
  clock = eventClock();
  const opened = await openStorage("memory:");
  // Tables are real ones; rows are always the same, so that many requests cost little.
  memory = forwardStorage(opened, {
    query: (_, { top = 1000 }) => Promise.resolve({ entities: rows.slice(0, top) }),
    get: () => Promise.resolve(undefined),
    write: () => Promise.resolve({ etag: 'W/"1"' }),
    transact: (_, operations) => Promise.resolve(operations.map(() => ({ etag: 'W/"1"' }))),
  });
});
afterEach(() => memory.close());

const channel = "Football";
const rows: readonly StoredEntity[] = Array.from({ length: 20 }, (_, i) => ({
  PartitionKey: channel,
  RowKey: `a${i}`,
  Timestamp: "2026-01-01T00:00:00Z",
  "odata.etag": 'W/"1"',
  text: "stored",
}));

/** Half of the calls read twenty rows, half write one. */
const optionsOf = (more: Partial<StressOptions<typeof Blog>> = {}): StressOptions<typeof Blog> => ({
  partition: { channel },
  seconds: 60,
  rate: { from: 20, to: 200 },
  clock,
  load: [
    {
      share: 1,
      run: (context) => context.query(Blog).where({ channel }).take(20).toArray(),
    },
    {
      share: 1,
      run(context, n) {
        context.create(Blog, { channel, id: `b${n}`, text: "written" });
      },
    },
  ],
  ...more,
});

/** A store that is limited to so many entities a second: a token bucket, which holds those of a tenth of a second. */
function limited(entitiesPerSecond: number): TableStorage {
  const most = entitiesPerSecond / 10;
  let [tokens, countedAt] = [most, clock.now()];
  const take = (count: number): void => {
    const now = clock.now();
    tokens = Math.min(most, tokens + ((now - countedAt) / 1000) * entitiesPerSecond);
    countedAt = now;
    if (tokens <= 0) throw StorageError.ofService("ServerBusy");
    tokens -= count;
  };
  return forwardStorage(memory, {
    async query(...args) {
      const page = await memory.query(...args);
      take(page.entities.length);
      return page;
    },
    async get(...args) {
      take(1);
      return memory.get(...args);
    },
    async write(...args) {
      take(1);
      return memory.write(...args);
    },
  });
}

describe("a partition that is limited to 100 entities a second", () => {
  test("is found to sustain 100 ± 10 %, in entities and not in requests", async () => {
    const report = await stressPartition(limited(100), Blog, optionsOf());

    for (const found of [report.sustained, report.servedThere, report.mostServed]) {
      expect(found).toBeGreaterThanOrEqual(90);
      expect(found).toBeLessThanOrEqual(110);
    }
    const over = report.steps.filter(({ isSustained }) => !isSustained);
    expect(over.length).toBeGreaterThan(1);
    expect(over.every(({ busy, failed, otherErrors }) => busy > 0 && failed + otherErrors === 0)).toBe(true);
    expect(report).toMatchObject({ storage: "memory:", entity: "Blog", partitionKey: channel });
    expect(report).not.toHaveProperty("isMet");
  });

  test.each([
    [80, true],
    [100, true],
    [120, false],
  ])("and a target of %i is met: %s", async (target, isMet) => {
    const report = await stressPartition(limited(100), Blog, optionsOf({ target }));

    expect(report).toMatchObject({ target, isMet });
    expect(report.steps.some(({ rate }) => rate === target)).toBe(true);
  });
});

test("where nothing fails, no step looks closer, and the largest rate is sustained", async () => {
  const progress: StressProgress[] = [];
  const onProgress = (each: StressProgress): void => void progress.push(each);
  const report = await stressPartition(memory, Blog, optionsOf({ onProgress }));

  expect(report.sustained).toBe(200);
  expect(report.steps).toHaveLength(8);
  expect(progress.map(({ done }) => done)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  expect(progress[0]).toEqual({ done: 0, total: 14, next: 20 });
  expect(progress[8]?.step?.rate).toBe(200);
});

/** A store that takes so long for each request, and counts those on the way at once. */
function slow(ms: number): TableStorage & { most: number } {
  let underWay = 0;
  const storage: TableStorage & { most: number } = {
    ...forwardStorage(memory, {
      async query(...args) {
        underWay++;
        storage.most = Math.max(storage.most, underWay);
        await clock.wait(ms);
        underWay--;
        return memory.query(...args);
      },
    }),
    most: 0,
  };
  return storage;
}

/** Only queries, of one row each. */
const onlyQueries = (more: Partial<StressOptions<typeof Blog>> = {}): StressOptions<typeof Blog> =>
  optionsOf({
    rate: { from: 10, to: 200 },
    load: [{ share: 1, run: (context) => context.query(Blog).where({ channel }).take(1).toArray() }],
    ...more,
  });

test("there are never more requests on the way than places, and what finds none is not served", async () => {
  const storage = slow(100);
  const report = await stressPartition(storage, Blog, onlyQueries({ concurrency: 5 }));

  expect(storage.most).toBe(5);
  expect(report.servedThere).toBeGreaterThanOrEqual(45);
  expect(report.servedThere).toBeLessThanOrEqual(55);
  const [last] = report.steps.filter(({ rate }) => rate === 200);
  expect(last?.notSent).toBeGreaterThan(0.7 * (last?.due ?? 0));
  expect(last?.p50Ms).toBeCloseTo(100, -1);
});

test("work that sends several requests at once has the same places, and its latency counts the wait", async () => {
  const storage = slow(10);
  const run: StressOptions["load"][number]["run"] = (context) =>
    Promise.all(Array.from({ length: 4 }, () => context.query(Blog).where({ channel }).take(1).toArray()));
  const report = await stressPartition(
    storage,
    Blog,
    onlyQueries({ concurrency: 2, load: [{ share: 1, run }], rate: { from: 4, to: 40 } }),
  );

  expect(storage.most).toBe(2);
  expect(report.steps[0]?.p50Ms).toBeCloseTo(20, 0);
  expect(report.steps[0]?.notSent).toBe(0);
});

test("a pause of the store is in the latency of all that was due meanwhile", async () => {
  const stall = { from: 2000, until: 3000 };
  const storage = forwardStorage(memory, {
    async query(...args) {
      const begun = clock.now();
      if (begun >= stall.from && begun < stall.until) await clock.wait(stall.until - begun);
      return memory.query(...args);
    },
  });
  const report = await stressPartition(
    storage,
    Blog,
    onlyQueries({ seconds: 120, rate: { from: 50, to: 51, steps: 2 }, concurrency: 1000 }),
  );

  // 50 of about 1000 calls were due in that second: the slowest hundredth of them waited for most of it.
  expect(report.steps[0]?.p99Ms).toBeGreaterThan(700);
  expect(report.steps[0]?.p50Ms).toBe(0);
});

describe("its tables", () => {
  const untouched = async (): Promise<void> => expect(await memory.listTables()).toEqual(["Blogs"]);
  beforeEach(() => memory.createTable("Blogs"));

  test("are its own, and are removed", async () => {
    let during: readonly string[] = [];
    await stressPartition(
      memory,
      Blog,
      optionsOf({
        async setup(context) {
          during = await memory.listTables();
          context.create(Blog, { channel, id: "1", text: "stored" });
        },
      }),
    );

    expect(during).toHaveLength(2);
    expect(during.find((name) => name !== "Blogs")).toMatch(/^Stress[0-9a-f]{10}Blogs$/);
    await untouched();
  });

  test("are removed when a test fails, and when it is aborted", async () => {
    const fails = optionsOf({
      setup: () => {
        throw new Error("no rows");
      },
    });
    await expect(stressPartition(memory, Blog, fails)).rejects.toThrow("no rows");
    await untouched();

    const stop = new AbortController();
    const aborted = optionsOf({
      signal: stop.signal,
      onProgress: ({ done }) => done === 2 && stop.abort(new Error("enough")),
    });
    await expect(stressPartition(memory, Blog, aborted)).rejects.toThrow("enough");
    await untouched();
  });

  test("that cannot be removed are named in a warning, and the report is not lost", async () => {
    const refusing = forwardStorage(memory, {
      deleteTable: () => Promise.reject(StorageError.ofService("ServerBusy")),
    });
    let report: StressReport | undefined;
    const warnings = await warningsDuring(async () => {
      report = await stressPartition(refusing, Blog, optionsOf());
    });

    expect(report?.sustained).toBe(200);
    expect(warnings.map(({ message }) => message).join()).toMatch(
      /memory:.*Stress[0-9a-f]{10}\. Delete them/,
    );
  });
});

describe("refuses", () => {
  test.each([
    ["a misspelt option", { second: 5 }, /does not know "second"/],
    ["no load", { load: [] }, /\{ load \}.*takes a list of work/],
    ["a load without a share", { load: [{ run: () => undefined }] }, /\[0\].*\{ share \}.*takes a share/],
    ["rates that fall", { rate: { from: 200, to: 100 } }, /takes a rate whose to is above its from/],
    ["a target beyond the rates", { target: 5000 }, /\{ target \}.*20 to 200.*Set rate\.from and rate\.to/],
    ["no place for requests", { concurrency: 0 }, /\{ concurrency \}.*a whole number/],
    ["no time", { seconds: 0 }, /\{ seconds \}.*a number above 0/],
    ["no partition", { partition: undefined }, /\{ partition \}.*the parts of the PartitionKey/],
  ])("%s", async (_, more, message) => {
    const options = optionsOf(more as Partial<StressOptions<typeof Blog>>);
    const refusal = stressPartition(memory, Blog, options);

    await expect(refusal).rejects.toMatchObject({ code: "stress.option" });
    await expect(refusal).rejects.toThrow(message);
  });

  test("a partition with a part missing", async () => {
    await expect(stressPartition(memory, Blog, optionsOf({ partition: {} }))).rejects.toMatchObject({
      code: "key.missing-part",
    });
  });

  const refusalOf = (run: StressOptions["load"][number]["run"]): Promise<unknown> =>
    stressPartition(memory, Blog, optionsOf({ load: [{ share: 1, run }] })).then(
      () => undefined,
      (error: unknown) => error,
    );

  test("a load that fails alone, that works elsewhere, and that does nothing", async () => {
    expect(
      await refusalOf(() => {
        throw new Error("a typo");
      }),
    ).toMatchObject({ code: "stress.load", message: expect.stringMatching(/load\[0\].*a typo/) });
    const elsewhere = await refusalOf((context, n) => {
      context.create(Blog, { channel: "Tennis", id: String(n), text: "x" });
    });
    expect(elsewhere).toMatchObject({
      code: "stress.partition",
      details: { load: 0, partition: channel, other: "Tennis" },
    });
    expect(await refusalOf((context) => context.find(Blog, { channel, id: "none" }))).toMatchObject({
      code: "stress.no-entities",
    });
    expect(await memory.listTables()).toEqual([]);
  });
});

test("errors of the load itself count, with their names, and do not end the test", async () => {
  const report = await stressPartition(
    memory,
    Blog,
    onlyQueries({
      load: [
        {
          share: 1,
          async run(context, n) {
            await context.query(Blog).where({ channel }).take(1).toArray();
            if (n > 3 && n % 2 === 0) throw new TypeError("a bug");
          },
        },
      ],
    }),
  );

  expect(report.steps[0]?.otherCodes).toEqual(["TypeError"]);
  expect(report.steps[0]?.otherErrors).toBeGreaterThan(0);
});

test("the rows in which Partita keeps the states of indexes are not counted", async () => {
  class Indexed extends defineEntity({
    table: "Indexed",
    partitionKey: { channel: text() },
    rowKey: { id: text() },
    properties: { text: text() },
    indexes: { byText: { rowKey: { text: constant("TEXT:", verbatim) }, unique: true } },
  }) {}
  await using storage = await openStorage("memory:");

  const { steps } = await stressPartition(storage, Indexed, {
    partition: { channel },
    seconds: 2,
    rate: { from: 5, to: 10 },
    clock,
    load: [
      { share: 1, run: (context, n) => void context.create(Indexed, { channel, id: `${n}`, text: `${n}` }) },
    ],
  });

  expect(steps).not.toEqual([]);
  expect(steps.map(({ elsewhere, failed }) => [elsewhere, failed])).toEqual(steps.map(() => [0, 0]));
});
