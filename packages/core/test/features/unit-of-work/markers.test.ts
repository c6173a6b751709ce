import { type VirtualClock, virtualClock } from "@partita/testing";
import { beforeEach, describe, expect, test } from "vitest";
import {
  createTables,
  defineEntity,
  int32,
  openStorage,
  type SaveError,
  StorageError,
  TableContext,
  type TableStorage,
  text,
} from "../../../src/index.ts";
import type { EntityKey } from "../../../src/values/edm/stored-entity.ts";
import { rememberMarker, takeExpiredMarkers } from "../../../src/work/save/expired-markers.ts";
import { forwardStorage } from "../../../src/storage/forward-storage.ts";
import { SharedState } from "../../../src/storage/shared-state.ts";
import { RetryBudget } from "../../../src/storage/with-retry.ts";
import { add, upgrades } from "../../../src/upgrades.ts";
import { census, sweepMarkers, upgradeTable } from "@partita/maintenance";
import {
  arrive,
  blind,
  changedBy,
  contextOf,
  failure,
  keyOf,
  Note,
  once,
  open,
  outcomesOf,
  removedBy,
  row,
  saveHeld,
  saveUnanswered,
  type Store,
  Ticket,
} from "./store.ts";

let store: Store;
let context: TableContext;
beforeEach(async () => {
  store = await open();
  context = contextOf(store, once);
});

const create = (id: number | string = 1): Ticket => context.create(Ticket, keyOf(id));
const markers = async (): Promise<(string | undefined)[]> => {
  const { entities } = await store.inner.query("Tickets", {});
  return entities.filter(({ RowKey }) => RowKey.startsWith("~w~")).map((found) => String(found["State"]));
};

test("a single change is a transaction of two, its marker first", async () => {
  create();
  const [result] = await context.saveChanges();

  expect(result).toMatchObject({ outcome: "committed", evidence: "response", operation: "insert" });
  expect(store.sent[0]?.map(({ type }) => type)).toEqual(["insert", "insert"]);
  expect(await markers()).toEqual(["written"]);
  expect(context.entry(result?.entity as object).etag).toBe((await row(store, 1, "Tickets"))?.["odata.etag"]);
});

test("99 changes fit one transaction, 100 need two", async () => {
  for (let n = 0; n < 100; n++) create(n);
  await context.saveChanges();

  expect(store.sent.map(({ length }) => length)).toEqual([100, 2]);
});

test("a refusal names the operation, the marker aside", async () => {
  await changedBy(store, {}, 2, "Tickets");
  create(1);
  const taken = create(2);
  const error = await failure(context.saveChanges());

  expect(error.conflicts.map(({ entity }) => entity)).toEqual([taken]);
  expect(await markers()).toEqual([]);
});

describe("an answer that was lost", () => {
  test("of a write that was carried out, and sent again: the marker proves it", async () => {
    const patient = contextOf(store);
    const entity = patient.create(Ticket, keyOf());
    let writes = 0;
    store.plan = ({ operations }) => (operations.length > 0 && writes++ === 0 ? "timeout-after" : undefined);
    const [result] = await patient.saveChanges();

    expect(result).toMatchObject({ outcome: "committed", evidence: "marker" });
    expect(patient.entry(entity)).toMatchObject({ state: "unchanged", inDoubt: false });
    expect(await markers()).toEqual(["written"]);
  });

  test("of an insert whose row was removed in between: not inserted twice", async () => {
    let writes = 0;
    const patient = contextOf(store, { retry: { attempts: 3, delayMs: 0 } });
    patient.create(Ticket, keyOf(7));
    store.plan = async ({ operations, type }) => {
      if (type === "transact" && writes++ === 0) return "timeout-after";
      if (operations.length > 0) await removedBy(store, 7, "Tickets").catch(() => undefined);
      return undefined;
    };
    const [result] = await patient.saveChanges();

    expect(result).toMatchObject({ outcome: "committed", evidence: "marker" });
    expect(await row(store, 7, "Tickets")).toBeUndefined();
  });

  test("of a removal: ours, though the row is gone either way", async () => {
    await changedBy(store, {}, 1, "Tickets");
    const entity = (await context.find(Ticket, keyOf())) as Ticket;
    context.remove(entity);
    store.plan = ({ operations }) => (operations.length > 0 ? "timeout-after" : undefined);
    const error = await failure(context.saveChanges());
    store.plan = undefined;

    expect(error.unknown).toHaveLength(1);
    expect(await context.resolveInDoubt()).toMatchObject([{ outcome: "committed", evidence: "marker" }]);
    expect(context.size).toBe(0);
  });

  test("of a removal that never arrived, of a row that another worker removed: rejected, at once", async () => {
    await changedBy(store, {}, 1, "Tickets");
    context.remove((await context.find(Ticket, keyOf())) as Ticket);
    await saveHeld(store, context);
    await removedBy(store, 1, "Tickets");

    expect(await outcomesOf(context.resolveInDoubt())).toEqual(["rejected storage.not-stored"]);
  });

  test("of a write that is late: closed at once, and what arrives then is refused", async () => {
    const entity = create();
    await saveHeld(store, context);

    expect(await outcomesOf(context.resolveInDoubt())).toEqual(["rejected storage.not-stored"]);
    expect(await markers()).toEqual(["closed"]);
    await arrive(store, "Tickets");
    expect(await row(store, 1, "Tickets")).toBeUndefined();
    expect(context.entry(entity)).toMatchObject({ state: "added", inDoubt: false });
    expect(await outcomesOf(context.saveChanges())).toEqual(["committed"]);
  });

  test("of an unconditional upsert: exact as well", async () => {
    const entity = context.upsert(new Ticket({ ...keyOf(), count: 5 }), "replace");
    await saveHeld(store, context);
    await arrive(store, "Tickets");
    await changedBy(store, { count: 9 }, 1, "Tickets");

    expect(await context.resolveInDoubt()).toMatchObject([{ outcome: "committed", evidence: "marker" }]);
    // What somebody stored since is taken over, not overwritten.
    expect(entity.count).toBe(9);
  });

  test("while the store cannot be reached, nothing is concluded; the next save goes on", async () => {
    create();
    await saveHeld(store, context);
    store.plan = blind("refused");
    expect(await outcomesOf(context.saveChanges())).toEqual(["unknown storage.timeout"]);
    store.plan = undefined;

    expect(await outcomesOf(context.saveChanges())).toEqual(["committed"]);
  });

  test("of closing itself: the marker that is there is known for our own", async () => {
    create();
    await saveHeld(store, context);
    store.plan = ({ operations }) => (operations.length > 0 ? "timeout-after" : undefined);
    expect(await outcomesOf(context.resolveInDoubt())).toEqual([expect.stringMatching(/^unknown/)]);
    store.plan = undefined;

    expect(await markers()).toEqual(["closed"]);
    expect(await outcomesOf(context.resolveInDoubt())).toEqual(["rejected storage.not-stored"]);
  });
});

test("a removal of what is gone, with the rest of its transaction: the rest gets a marker of its own", async () => {
  await changedBy(store, {}, 1, "Tickets");
  context.remove((await context.find(Ticket, keyOf())) as Ticket);
  create(2);
  await removedBy(store, 1, "Tickets");

  expect(await outcomesOf(context.saveChanges({ removeMissing: "ignore" }))).toEqual([
    "committed",
    "committed",
  ]);
  expect(await row(store, 2, "Tickets")).toBeDefined();
});

describe("markers are out of sight", () => {
  beforeEach(async () => {
    for (let n = 0; n < 5; n++) {
      create(n);
      await context.saveChanges();
    }
  });

  test("of queries, with and without a limit, and of their bulk writes", async () => {
    const other = contextOf(store);
    expect((await other.query(Ticket).where({ book: "b" }).toArray()).length).toBe(5);
    expect((await other.query(Ticket).scan().take(3).toArray()).map(({ id }) => id)).toEqual(["0", "1", "2"]);
    expect(await other.query(Ticket).where({ book: "b" }).removeAll()).toMatchObject({ written: 5 });
    expect((await markers()).length).toBeGreaterThan(4);
  });

  test("of censuses", async () => {
    expect(await census(store.storage, [Ticket])).toMatchObject([{ count: 5 }]);
  });

  test("and their keys are nobody else's", () => {
    expect(() => context.create(Ticket, keyOf("~w~mine"))).toThrow(
      expect.objectContaining({ code: "key.reserved" }),
    );
    expect(() => context.create(Note, { ...keyOf("~w~mine"), title: "mine" })).not.toThrow();
  });
});

describe("expired markers", () => {
  const hour = 3_600_000;

  /** Three saves of one partition, and one more when their markers are an hour old. */
  async function savedAnHourLater(beforeLast: () => Promise<unknown> = async () => undefined): Promise<void> {
    const clock = virtualClock();
    const save = async (id: number): Promise<unknown> => {
      await using own = contextOf(store, { ...once, clock });
      own.create(Ticket, keyOf(id));
      return await outcomesOf(own.saveChanges());
    };
    for (let id = 1; id <= 3; id++) expect(await save(id)).toEqual(["committed"]);
    clock.advance(hour);
    await beforeLast();
    expect(await save(4)).toEqual(["committed"]);
  }

  test("are removed by a later transaction of their partition", async () => {
    await savedAnHourLater();

    expect(store.sent.at(-1)?.map(({ type }) => type)).toEqual([
      "insert",
      "insert",
      "delete",
      "delete",
      "delete",
    ]);
    expect(await markers()).toEqual(["written"]);
  });

  test("that somebody else removed do not refuse a transaction", async () => {
    await savedAnHourLater(async () => {
      const [key] = (await store.inner.query("Tickets", {})).entities.filter(({ RowKey }) =>
        RowKey.startsWith("~w~"),
      );
      await removedBy(store, key?.RowKey, "Tickets");
    });

    expect(store.sent.at(-1)?.map(({ type }) => type)).toEqual(["insert", "insert"]);
  });

  test("of another partition stay, and so do young ones", async () => {
    const clock = virtualClock();
    const own = contextOf(store, { ...once, clock });
    own.create(Ticket, keyOf(1, "other"));
    await own.saveChanges();
    clock.advance(hour - 1);
    own.create(Ticket, keyOf(2));
    await own.saveChanges();
    own.create(Ticket, keyOf(3));
    await own.saveChanges();

    expect(await markers()).toHaveLength(3);
  });

  test("of partitions that are never written again do not keep younger ones from being remembered", () => {
    const clock = virtualClock();
    const retries = { policy: once.retry, clock, budget: new RetryBudget(), shared: new SharedState() };
    const key = (n: number): EntityKey => ({ partitionKey: String(n), rowKey: `~w~${n}` });
    for (let n = 0; n <= 10_000; n++) rememberMarker(retries, "Tickets", key(n));
    clock.advance(hour);

    expect(takeExpiredMarkers(retries, "Tickets", key(10_000), 4)).toEqual(["~w~10000"]);
    expect(takeExpiredMarkers(retries, "Tickets", key(0), 4)).toEqual([]);
  });

  test("leave it to the policy when a transaction is sent again", async () => {
    const busy: number[] = [];
    await savedAnHourLater(async () => {
      store.reset();
      store.plan = ({ operations }) => {
        if (operations.length === 0) return undefined;
        busy.push(operations.length);
        return "refused";
      };
    }).catch(() => undefined);
    store.plan = undefined;

    expect(busy).toEqual([5]);
  });

  test("of a write that was tried for minutes may be gone an hour after its first request", async () => {
    const clock = virtualClock();
    const own = contextOf(store, { retry: { attempts: 11, delayMs: 30_000 }, clock });
    own.create(Ticket, keyOf(1));
    let isFirst = true;
    store.plan = ({ operations }) => {
      if (operations.length === 0) return "refused";
      const fault = isFirst ? "timeout-after" : "refused";
      isFirst = false;
      return fault;
    };
    expect(await outcomesOf(own.saveChanges())).toEqual([expect.stringMatching(/^unknown/)]);
    store.plan = undefined;
    await removedBy(store, 1, "Tickets");
    const [marker] = (await store.inner.query("Tickets", {})).entities;
    await removedBy(store, marker?.RowKey, "Tickets");
    clock.advance(hour - 590_000);

    expect(await own.resolveInDoubt()).toMatchObject([{ outcome: "unknown" }]);
  });

  test("a write that is asked about after its marker may be gone is never rejected for that", async () => {
    const clock = virtualClock();
    const own = contextOf(store, { ...once, clock });
    own.create(Ticket, keyOf(1));
    store.plan = ({ operations }) => (operations.length > 0 ? "timeout-after" : "refused");
    expect(await outcomesOf(own.saveChanges())).toEqual(["unknown storage.timeout"]);
    store.plan = undefined;
    // Stored; then its row and, an hour later, its marker are removed.
    await removedBy(store, 1, "Tickets");
    const [marker] = (await store.inner.query("Tickets", {})).entities;
    await removedBy(store, marker?.RowKey, "Tickets");
    clock.advance(hour);

    const [result] = await own.resolveInDoubt();
    expect(result).toMatchObject({ outcome: "unknown" });
    expect(result?.lateUntil).toBeUndefined();
  });

  /** A machine that sleeps: the time by which it measures stands still. */
  const sleeper = (): VirtualClock => Object.assign(virtualClock(), { monotonic: () => 0 });
  /** Others remove the row of a write, and its marker an hour later. */
  const sweep = async (clock: VirtualClock): Promise<void> => {
    for (const { RowKey } of (await store.inner.query("Tickets", {})).entities)
      await removedBy(store, RowKey, "Tickets");
    clock.advance(hour);
  };

  test("a machine that slept an hour before it asks does not take the marker for one that never was", async () => {
    const clock = sleeper();
    const own = contextOf(store, { ...once, clock });
    own.create(Ticket, keyOf(1));
    await saveUnanswered(store, own);
    await sweep(clock);

    expect(await own.resolveInDoubt()).toMatchObject([{ outcome: "unknown" }]);
  });

  test("nor does one that slept before the answer to its save", async () => {
    const clock = sleeper();
    const asleep: TableStorage = forwardStorage(store.storage, {
      async transact(...request) {
        await store.storage.transact(...request);
        await sweep(clock);
        throw new StorageError("storage.timeout", "No answer.", { applied: "maybe" });
      },
    });
    const own = new TableContext(asleep, { ...once, clock });
    own.create(Ticket, keyOf(1));

    expect(await outcomesOf(own.saveChanges())).toEqual(["unknown storage.timeout"]);
  });
});

test("upgrades leave markers alone", async () => {
  const settings = {
    table: "Versioned",
    partitionKey: { book: text() },
    rowKey: { id: text() },
    properties: { n: int32() },
    proof: "marker",
  } as const;
  class First extends defineEntity({ ...settings, version: 1 }) {}
  class Second extends defineEntity({
    ...settings,
    properties: { n: int32(), m: int32() },
    version: upgrades({ n: int32() }).to(2, add("m", int32(), 1)),
  }) {}
  await createTables(store.inner, [First]);
  await using before = new TableContext(store.inner);
  before.create(First, { ...keyOf(), n: 1 });
  await before.saveChanges();

  expect(await upgradeTable(store.inner, [Second])).toMatchObject({ left: [] });
  expect(await census(store.inner, [Second])).toMatchObject([{ version: 2, count: 1 }]);
});

describe("a sweep", () => {
  test("removes the markers that are older than an hour, and no others", async () => {
    const clock = virtualClock();
    await using storage = await openStorage("memory:", { clock });
    await createTables(storage, [Ticket]);
    await using writer = new TableContext(storage);
    for (let n = 0; n < 150; n++) {
      writer.create(Ticket, keyOf(n));
      await writer.saveChanges();
    }
    clock.advance(2 * 3_600_000);
    writer.create(Ticket, keyOf("new"));
    await writer.saveChanges();
    const reported: number[] = [];

    expect(await sweepMarkers(storage, [Ticket], { onProgress: (n) => reported.push(n) })).toBe(150);
    expect(reported.at(-1)).toBe(150);
    expect(await sweepMarkers(storage, [Ticket])).toBe(0);
    expect(await writer.query(Ticket).where({ book: "b" }).toArray()).toHaveLength(151);
  });

  test("refuses tables without markers, and ages that are too short", async () => {
    await expect(sweepMarkers(store.inner, [Note])).rejects.toMatchObject({ code: "model.no-markers" });
    await expect(sweepMarkers(store.inner, [Ticket], { olderThanMs: 1000 })).rejects.toMatchObject({
      code: "maintenance.option",
    });
  });
});

describe("the removal of a row whose version could not be read, and which another writer has removed", () => {
  test.each([
    ["conflict", { outcome: "rejected", error: { code: "conflict.missing" } }],
    ["error", { outcome: "rejected", error: { code: "conflict.missing" } }],
    ["ignore", { outcome: "committed", evidence: "gone" }],
  ] as const)('with removeMissing: "%s"', async (removeMissing, expected) => {
    let isBlind = true;
    const down = new StorageError("storage.down", "down", { applied: "no" });
    const storage = forwardStorage(store.storage, {
      get: (table, key, options) =>
        isBlind && key.rowKey === "1" ? Promise.reject(down) : store.storage.get(table, key, options),
    });
    const own = new TableContext(storage, once);
    const ticket = own.create(Ticket, keyOf());
    let writes = 0;
    store.plan = ({ operations }) => (operations.length > 0 && writes++ === 0 ? "timeout-after" : undefined);
    expect(await own.saveChanges()).toMatchObject([{ outcome: "committed", evidence: "marker" }]);
    store.plan = undefined;
    expect(own.entry(ticket).etag).toBeUndefined();
    await removedBy(store, 1, "Tickets");
    isBlind = false;

    own.remove(ticket);
    const results = await own.saveChanges({ removeMissing }).catch((error: SaveError) => error.results);

    expect(results).toMatchObject([{ operation: "delete", ...expected }]);
  });
});
