import { warningsDuring } from "@partita/test-support/warnings";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { beforeEach, expect, test } from "vitest";
import {
  type ContextOptions,
  createTables,
  defineEntity,
  int32,
  openStorage,
  TableContext,
  type TableStorage,
  text,
} from "../../../src/index.ts";

class Page extends defineEntity({
  table: "Pages",
  partitionKey: { book: text() },
  rowKey: { id: text() },
  properties: { number: int32() },
}) {}

let storage: TableStorage;
beforeEach(async () => {
  storage = await openStorage("memory:");
  await createTables(storage, [Page]);
  const writer = new TableContext(storage);
  for (const id of ["edited", "clean", "other"]) writer.create(Page, { book: "b", id, number: 1 });
  await writer.saveChanges();
});

/** Reads three entities; counts how often a property of the one that nobody edits is read. */
async function counting(options?: ContextOptions): Promise<{
  context: TableContext;
  pages: Record<string, Page>;
  reads: () => number;
}> {
  const context = new TableContext(storage, options);
  const found = await context.query(Page).where({ book: "b" }).toArray();
  const pages = Object.fromEntries(found.map((page) => [page.id, page]));
  let reads = 0;
  Object.defineProperty(pages["clean"], "number", { get: () => (reads++, 1) });
  return { context, pages, reads: () => reads };
}

test("a save compares every entity once", async () => {
  const { context, pages, reads } = await counting();
  pages["edited"]!.number = 2;

  expect(await context.saveChanges()).toMatchObject([{ outcome: "committed" }]);
  expect(reads()).toBe(1);
});

test("a save that is traced compares every entity once", async () => {
  const { context, pages, reads } = await counting();
  pages["edited"]!.number = 2;
  const events: unknown[] = [];
  const note = (event: unknown): void => void events.push(event);
  subscribe("tracing:partita:save:start", note);
  await context.saveChanges().finally(() => unsubscribe("tracing:partita:save:start", note));

  expect(events).toMatchObject([{ pending: 1 }]);
  expect(reads()).toBe(1);
});

test("a save that finds out about a write in doubt compares every entity once", async () => {
  const { context, pages, reads } = await counting();
  const write = storage.write.bind(storage);
  storage.write = () => Promise.reject(new Error("The connection was closed."));
  pages["edited"]!.number = 2;
  await context.saveChanges().catch(() => undefined);
  storage.write = write;
  const before = reads();
  expect(context.entry(pages["edited"]!).inDoubt).toBe(true);

  expect(await context.saveChanges()).toMatchObject([{ outcome: "committed" }]);
  expect(reads() - before).toBe(1);
});

test("entities that are cleared while a save is prepared are not sent", async () => {
  const { context, pages } = await counting();
  const [write, get] = [storage.write.bind(storage), storage.get.bind(storage)];
  storage.write = () => Promise.reject(new Error("The connection was closed."));
  pages["edited"]!.number = 2;
  await context.saveChanges().catch(() => undefined);
  let writes = 0;
  storage.write = (...args) => {
    writes++;
    return write(...args);
  };
  storage.get = (...args) => {
    context.clear({ discard: true });
    return get(...args);
  };
  await context.saveChanges().catch(() => undefined);

  expect([context.size, writes]).toEqual([0, 0]);
});

test("hooks and validators may change any entity: it is compared again after each round of them", async () => {
  const { context, pages, reads } = await counting({
    hooks: { saving: () => void (pages["other"]!.number = 3) },
    validate: () => [],
  });
  pages["edited"]!.number = 2;

  expect(await context.saveChanges()).toHaveLength(2);
  // Before hooks, after those of the edited entity, after those of the other one, after validators.
  expect(reads()).toBe(4);
});

test("hooks that have nothing to run for compare nothing again", async () => {
  const { context, reads } = await counting({
    hooks: { saving: () => undefined },
    validate: () => [],
  });

  expect(await context.saveChanges()).toEqual([]);
  expect(reads()).toBe(1);
});

test.each(["only", "explicit tracking"])("%s looks at nothing else", async (way) => {
  const isExplicit = way !== "only";
  const { context, pages, reads } = await counting({
    tracking: isExplicit ? "explicit" : "automatic",
    hooks: { saving: () => undefined },
    validate: () => [],
  });
  const edited = pages["edited"]!;
  edited.number = 2;
  if (isExplicit) context.update(edited, "number");
  await context.saveChanges(isExplicit ? {} : { only: [edited] });

  const stored = await new TableContext(storage).find(Page, { book: "b", id: "edited" });
  expect(stored?.number).toBe(2);
  expect(reads()).toBe(0);
});

test("an entity of the list that left the context before its turn is passed over", async () => {
  const { context, pages } = await counting();
  const edited = pages["edited"]!;
  edited.number = 2;
  const first = context.saveChanges();
  const second = context.saveChanges({ only: [edited, pages["other"]!] });
  await first;
  context.detach(edited);

  expect(await second).toEqual([]);
});

test("what a hook adds is saved with the list; what it detaches and attaches again is not", async () => {
  const { context, pages } = await counting({
    hooks: {
      saving: (entity) => {
        if (entity !== pages["edited"]) return;
        context.create(Page, { book: "b", id: "new", number: 1 });
        const other = pages["other"]!;
        context.detach(other);
        context.upsert(other, "merge");
      },
    },
  });
  pages["edited"]!.number = 2;
  const results = await context.saveChanges({ only: [pages["edited"]!] });

  expect(results.map(({ entity }) => (entity as Page).id)).toEqual(["edited", "new"]);
  expect(context.pendingChanges()).toMatchObject([{ entity: pages["other"], state: "upsert" }]);
});

test("pending changes come in the order of their entities, however they were marked", async () => {
  const { context, pages } = await counting({ tracking: "explicit" });
  const { edited, other, clean } = pages as { edited: Page; other: Page; clean: Page };
  context.update(other, "number");
  context.remove(edited);
  context.update(clean, "number");

  expect(context.pendingChanges().map(({ entity }) => (entity as Page).id)).toEqual([
    "clean",
    "edited",
    "other",
  ]);
});

/** Saves a context of so many entities that nobody stored, so often. */
async function savedOften(options: ContextOptions, count: number, only?: Iterable<object>): Promise<void> {
  const context = new TableContext(storage, options);
  for (let i = 0; i < count; i++) context.attach(new Page({ book: "b", id: String(i), number: i }), 'W/"1"');
  for (let i = 0; i < 102; i++) await context.saveChanges({ only });
}

test("a context of more than 50,000 entities warns once when it is saved for the hundredth time", async () => {
  const warnings = await warningsDuring(() => savedOften({}, 50_001));

  expect(warnings.map(({ code }) => code)).toEqual(["PARTITA_LARGE_CONTEXT"]);
  expect(warnings[0]?.message).toContain("tracks 50001 entities and was saved 100 times");
  for (const remedy of ["new TableContext", "detach", "only", "explicit"])
    expect(warnings[0]?.message).toContain(remedy);
});

test("it does not warn with fewer entities, with a list, or with explicit tracking", async () => {
  const warnings = await warningsDuring(async () => {
    await savedOften({}, 50_000);
    await savedOften({}, 50_001, []);
    await savedOften({ tracking: "explicit" }, 50_001);
  });

  expect(warnings).toEqual([]);
});
