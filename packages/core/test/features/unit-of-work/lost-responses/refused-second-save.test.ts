// Histories of two saves: what the first one left in doubt, the second must not report wrong.

import { virtualClock } from "@partita/testing";
import { describe, expect, test } from "vitest";
import type { SaveResult, TableContext } from "../../../../src/index.ts";
import type { Clock } from "../../../../src/storage.ts";
import {
  changedBy,
  Claim,
  contextOf,
  keyOf,
  arrive,
  Note,
  once,
  open,
  outcomesOf,
  read,
  removedBy,
  row,
  saveHeld,
  seeded,
  type Store,
  valuesIn,
  seededNote,
} from "../store.ts";

type Row = { book: string; id: string; count: number; owner?: string | undefined };
const kinds = [
  { Class: Note, table: "Notes" },
  { Class: Claim, table: "Claims" },
] as const;

/** A stored row, read by a context that tries once and never waits. */
async function counted(Class: typeof Note | typeof Claim, clock: Clock = virtualClock()): Promise<Counted> {
  const store = await open();
  const table = Class === Note ? "Notes" : "Claims";
  await store.inner.write(table, { type: "insert", entity: { PartitionKey: "b", RowKey: "1", title: "t" } });
  const context = contextOf(store, { ...once, clock });
  const entity = (await context.find(Class, keyOf())) as unknown as Row & { pages: number };
  const edit = (): void => {
    if (Class === Note) entity.pages = 7;
    else entity.count = 7;
  };
  return { store, context, entity, edit, table };
}

interface Counted {
  readonly store: Store;
  readonly context: TableContext;
  readonly entity: Row & { pages: number };
  readonly edit: () => void;
  readonly table: string;
}

describe.each(kinds)("in $table", ({ Class, table }) => {
  const value = async (store: Store): Promise<unknown> =>
    (await row(store, 1, table))?.[Class === Note ? "pages" : "count"];

  test("a late first save, and a second one that is refused a connection: unknown, and then stored", async () => {
    const { store, context, edit } = await counted(Class);
    edit();
    await saveHeld(store, context);
    store.plan = ({ operations }) => (operations.length > 0 ? "refused" : undefined);

    expect(await outcomesOf(context.saveChanges())).toEqual(["unknown storage.unreachable"]);
    store.plan = undefined;
    await arrive(store, table);
    expect(await outcomesOf(context.saveChanges())).toEqual(["committed"]);
    expect(await value(store)).toBe(7);
  });

  test("a second save that our own late write refuses, while nobody can read: unknown", async () => {
    const { store, context, edit } = await counted(Class);
    edit();
    await saveHeld(store, context);
    // The late one arrives before the second one; after that, reads fail.
    let hasArrived = false;
    store.plan = async ({ operations }) => {
      if (operations.length === 0) return hasArrived ? "refused" : undefined;
      await arrive(store, table);
      hasArrived = true;
      return undefined;
    };

    expect(await outcomesOf(context.saveChanges())).toEqual(["unknown conflict.etag"]);
    store.plan = undefined;
    expect(await outcomesOf(context.saveChanges())).toEqual(["committed"]);
  });

  test("a late first save, a lost second one, and the first arrives: committed, not rejected", async () => {
    const { store, context, edit } = await counted(Class);
    edit();
    await saveHeld(store, context);
    await saveHeld(store, context);
    await arrive(store, table);

    expect(await outcomesOf(context.resolveInDoubt({ wait: true }))).toEqual(["committed"]);
    expect(context.pendingChanges()).toEqual([]);
  });

  test("the same of a transaction: the first attempt does not disprove the second", async () => {
    const { store, context, edit } = await counted(Class);
    edit();
    if (Class === Note) context.create(Note, { ...keyOf(2), title: "new" });
    else context.create(Claim, keyOf(2));
    await saveHeld(store, context);
    await saveHeld(store, context);
    await arrive(store, table);

    expect(await outcomesOf(context.resolveInDoubt({ wait: true }))).toEqual(["committed", "committed"]);
    expect(context.pendingChanges()).toEqual([]);
  });

  test("the clock of the machine steps forward: a write that may yet land is not rejected", async () => {
    let step = 0;
    const clock: Clock = {
      now: () => Date.now() + step,
      monotonic: () => performance.now(),
      wait: () => Promise.resolve(),
    };
    const { store, context, edit } = await counted(Class, clock);
    edit();
    await saveHeld(store, context);
    step = 120_000;

    expect(await outcomesOf(context.resolveInDoubt())).toEqual([expect.stringMatching(/^unknown/)]);
    await arrive(store, table);
    expect(await outcomesOf(context.saveChanges())).toEqual(["committed"]);
    expect(await value(store)).toBe(7);
  });

  test("the clock of the machine is set back a day: nothing waits for a day", async () => {
    let [offset, elapsed] = [0, 0];
    const clock: Clock = {
      now: () => 1_000_000_000_000 + offset + elapsed,
      monotonic: () => elapsed,
      wait(ms) {
        elapsed += ms;
        return Promise.resolve();
      },
    };
    const { store, context, edit } = await counted(Class, clock);
    edit();
    await saveHeld(store, context);
    offset = -86_400_000;

    expect(await outcomesOf(context.resolveInDoubt({ wait: true }))).toEqual(["rejected storage.not-stored"]);
    expect(elapsed).toBeLessThan(100_000);
  });
});

test("a removal that takes a row and never arrived, of a row that another worker removed, is not ours", async () => {
  const store = await seeded(open);
  const context = contextOf(store, once);
  context.remove(await read(context));
  await saveHeld(store, context);
  await removedBy(store);

  expect(await outcomesOf(context.saveChanges({ removeMissing: "error" }))).toEqual(["unknown storage.gone"]);
  expect([await context.saveChanges(), context.size]).toEqual([[], 0]);
});

test("a result says what proves it", async () => {
  const { store, context, entity } = await seededNote(open);
  entity.pages = 2;
  const [answered] = await context.saveChanges();
  entity.pages = 3;
  store.plan = ({ number, operations }) =>
    operations.length > 0 && number < 9 ? "timeout-after" : undefined;
  const [readBack] = (await context.saveChanges()) as readonly SaveResult[];

  expect([answered?.evidence, readBack?.evidence]).toEqual(["response", "content"]);
});

describe("100 inserts, one of them under a key that somebody has just taken, and the first answer is lost", () => {
  async function lost(): Promise<{ store: Store; context: TableContext; entities: Note[] }> {
    const store = await open();
    await changedBy(store, { title: "somebody" }, 50);
    const context = contextOf(store, { retry: { attempts: 2, delayMs: 0 }, clock: virtualClock() });
    const entities = Array.from({ length: 100 }, (_, n) =>
      context.create(Note, { ...keyOf(n), title: `note ${n}` }),
    );
    let writes = 0;
    store.plan = ({ operations }) => (operations.length > 0 && writes++ === 0 ? "timeout-before" : undefined);
    const outcomes = await outcomesOf(context.saveChanges());
    expect(outcomes.filter((outcome) => !outcome.startsWith("unknown"))).toEqual([]);
    store.plan = undefined;
    return { store, context, entities };
  }

  test("without the one whose key is taken, the next save stores the others", async () => {
    const { store, context, entities } = await lost();
    context.discard(entities[50] as Note);

    expect(new Set(await outcomesOf(context.saveChanges()))).toEqual(new Set(["committed"]));
    expect(await valuesIn(store, 49)).toMatchObject({ title: "note 49" });
    expect(await valuesIn(store, 50)).toEqual({ title: "somebody" });
    expect(context.pendingChanges()).toEqual([]);
  });
});

test("an equal value of somebody else is no proof of a write that only kept a late one out", async () => {
  const store = await seeded(open);
  const context = contextOf(store, { ...once, clock: virtualClock() });
  const entity = await read(context);
  entity.pages = 2;
  await saveHeld(store, context);
  // Set back: nothing to save, and its row is rewritten to keep the late write out. That answer is lost as well.
  entity.pages = 1;
  store.plan = ({ operations }) => (operations.length > 0 ? "timeout-before" : undefined);
  await changedLater(store);

  const outcomes = await outcomesOf(context.saveChanges());
  expect(outcomes).toEqual([expect.stringMatching(/^unknown/)]);
});

/** Somebody stores the values that are there already, under a new ETag. */
async function changedLater(store: Store): Promise<void> {
  const plan = store.plan;
  store.plan = async (request) => {
    if (request.operations.length > 0) await changedBy(store, { pages: 1 });
    return plan?.(request);
  };
}
