import { warningsDuring } from "@partita/test-support/warnings";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  createTables,
  defineEntity,
  defineKind,
  int32,
  openStorage,
  StorageError,
  TableContext,
  type TableStorage,
  text,
} from "../../../src/index.ts";
import { buildIndex, dropIndex, upgradeTable, verifyIndex } from "@partita/maintenance";
import { constant, padded, verbatim } from "../../../src/keys.ts";
import { copyTable, exportTable, importTable } from "@partita/transfer";
import { forwardStorage } from "../../../src/storage/forward-storage.ts";
import { rename, upgrades } from "../../../src/upgrades.ts";

const shape = {
  table: "Races",
  partitionKey: { race: text() },
  rowKey: { bib: constant("BIB:", padded(3)) },
  properties: { age: int32(), mail: text().optional() },
} as const;
const byAge = { rowKey: { age: constant("AGE:", padded(3)) } } as const;
const byMail = { rowKey: { mail: constant("MAIL:", verbatim) }, unique: true } as const;

/** The release before there were indexes. */
class OldRunner extends defineEntity(shape) {}
class Runner extends defineEntity({ ...shape, indexes: { byAge, byMail } }) {}
/** The same index by another definition. */
class Changed extends defineEntity({ ...shape, indexes: { byAge: { ...byAge, copy: "none" } } }) {}
class Declared extends defineEntity({ ...shape, indexStates: "declared", indexes: { byAge } }) {}
class Retired extends defineEntity({
  ...shape,
  indexes: { byAge: { ...byAge, state: "retired" }, byMail: { ...byMail, state: "retired" } },
}) {}

let storage: TableStorage;
beforeEach(async () => {
  storage = await openStorage("memory:");
});
afterEach(() => storage.close());

/** The same storage as another process opens it: it remembers nothing. Counts requests for the states of indexes. */
function another(): { readonly storage: TableStorage; asked: number } {
  const counted = {
    asked: 0,
    storage: forwardStorage(storage, {
      query(table, query, options) {
        if (table === "PartitaSchema") counted.asked++;
        return storage.query(table, query, options);
      },
    }),
  };
  return counted;
}

async function fillByOldRelease(): Promise<void> {
  await createTables(storage, [OldRunner]);
  await using context = new TableContext(storage);
  for (let bib = 0; bib < 4; bib++)
    context.create(OldRunner, { race: "r", bib, age: 20 + bib, mail: `${bib}@example.org` });
  await context.saveChanges();
}

const runnersOf = (over: TableStorage) => new TableContext(over).query(Runner).where({ race: "r" });
const twenty = (over: TableStorage) => runnersOf(over).where({ age: 20 });

describe("a table that createTables creates", () => {
  test("has indexes that are ready, for other processes, too", async () => {
    await createTables(storage, [Runner]);
    const other = another();

    for (let i = 0; i < 3; i++) expect(await twenty(other.storage).via("byAge").toArray()).toEqual([]);

    expect(other.asked).toBe(1);
    expect(twenty(other.storage).explain()).toMatchObject({ index: "byAge", unused: [] });
  });

  test("forgets the indexes of an earlier table of its name", async () => {
    await createTables(storage, [Runner]);
    await storage.deleteTable("Races");
    await fillByOldRelease();

    await expect(twenty(another().storage).via("byAge").toArray()).rejects.toMatchObject({
      code: "index.not-built",
    });
    expect(await twenty(another().storage).toArray()).toHaveLength(1);
  });
});

describe("a table that was deleted, and is made again with rows", () => {
  const ways: Readonly<Record<string, (from: TableStorage) => Promise<unknown>>> = {
    "by a copy": (from) => copyTable(from, storage, "Races"),
    "by an import": (from) => importTable(storage, "Races", exportTable(from, "Races", { format: "jsonl" })),
  };

  test.each(Object.entries(ways))("%s has no built indexes", async (_way, move) => {
    await using from = await openStorage("memory:");
    await createTables(from, [OldRunner]);
    await using context = new TableContext(from);
    context.create(OldRunner, { race: "r", bib: 1, age: 20 });
    await context.saveChanges();
    await createTables(storage, [Runner]);
    await storage.deleteTable("Races");

    await move(from);

    for (const over of [storage, another().storage]) {
      const query = twenty(over);
      expect(await query.toArray()).toHaveLength(1);
      expect(query.explain().index).toBeUndefined();
    }
  });
});

describe("a table that has rows and built indexes, and gets more rows", () => {
  const ways: Readonly<Record<string, (from: TableStorage) => Promise<unknown>>> = {
    "by a copy": (from) => copyTable(from, storage, "Races", { existing: "skip" }),
    "by an import": (from) =>
      importTable(storage, "Races", exportTable(from, "Races", { format: "jsonl" }), { existing: "skip" }),
  };

  test.each(Object.entries(ways))(
    "%s has no built indexes until they are built again",
    async (_way, move) => {
      await using from = await openStorage("memory:");
      await createTables(from, [OldRunner]);
      await using old = new TableContext(from);
      old.create(OldRunner, { race: "r", bib: 2, age: 20 });
      await old.saveChanges();
      await createTables(storage, [Runner]);
      await using context = new TableContext(storage);
      context.create(Runner, { race: "r", bib: 1, age: 20 });
      await context.saveChanges();
      await twenty(storage).via("byAge").toArray();

      await move(from);

      for (const over of [storage, another().storage]) {
        const query = twenty(over);
        expect(await query.toArray()).toHaveLength(2);
        expect(query.explain().index).toBeUndefined();
      }
      await buildIndex(storage, Runner, "byAge");
      expect(await twenty(another().storage).via("byAge").toArray()).toHaveLength(2);
    },
  );
});

describe("a request for the states", () => {
  /** The storage, whose table of states does not answer before it is told to. */
  function slow(): { readonly storage: TableStorage; readonly response: (error?: Error) => void } {
    const { promise, resolve } = Promise.withResolvers<Error | undefined>();
    const over = forwardStorage(storage, {
      async query(table, query, options) {
        const error = table === "PartitaSchema" ? await promise : undefined;
        if (error !== undefined) throw error;
        return storage.query(table, query, options);
      },
    });
    return { storage: over, response: resolve };
  }
  const down = new StorageError("storage.down", "down", { applied: "no", status: 400 });
  beforeEach(fillByOldRelease);

  test("is not sent by a stream that nobody reads, so its failure ends no process", async () => {
    const failures: unknown[] = [];
    const note = (error: unknown): void => void failures.push(error);
    process.on("unhandledRejection", note);
    const { storage: over, response } = slow();
    response(down);

    const stream = twenty(over).stream();
    await nextTurn();
    await nextTurn();

    process.off("unhandledRejection", note);
    expect(failures).toEqual([]);
    await expect(stream.next()).rejects.toMatchObject({ code: "storage.down" });
  });

  const ways: Readonly<
    Record<string, (query: ReturnType<typeof twenty>, signal: AbortSignal) => Promise<unknown>>
  > = {
    "toArray({ signal })": (query, signal) => query.toArray({ signal }),
    "count({ signal })": (query, signal) => query.count({ signal }),
    "page({ signal })": (query, signal) => query.page({ size: 5, signal }),
    "removeAll({ signal })": (query, signal) => query.removeAll({ signal }),
  };

  test.each(Object.entries(ways))(
    "does not keep a query waiting that is cancelled by %s",
    async (_way, ask) => {
      const stop = new AbortController();
      const asked = ask(twenty(slow().storage), stop.signal);

      stop.abort();

      await expect(asked).rejects.toMatchObject({ code: "storage.cancelled" });
    },
  );

  test("goes on for others of the context when one of them is cancelled", async () => {
    const { storage: over, response } = slow();
    const context = new TableContext(over);
    const query = context.query(Runner).where({ race: "r", age: 20 });
    const stop = new AbortController();
    const cancelled = query.toArray({ signal: stop.signal });
    const other = query.toArray();
    stop.abort();
    await expect(cancelled).rejects.toMatchObject({ code: "storage.cancelled" });

    response();

    expect(await other).toHaveLength(1);
  });
});

test("an upsert of a class with indexes does not take the row of another index for its entity", async () => {
  class Open extends defineEntity({
    ...shape,
    rowKey: { id: text() },
    indexes: { byNumber: { rowKey: { age: constant("N:", padded(3)) } } },
  }) {}
  await createTables(storage, [Runner]);
  await using context = new TableContext(storage);
  context.create(Runner, { race: "r", bib: 1, age: 20 });
  await context.saveChanges();
  const before = await storage.query("Races", {});

  await using other = new TableContext(storage);
  other.upsert(new Open({ race: "r", id: "AGE:020_BIB:001", age: 1 }), "replace");

  await expect(other.saveChanges()).rejects.toMatchObject({
    results: [{ outcome: "rejected", error: { code: "kind.mismatch" } }],
  });
  expect(await storage.query("Races", {})).toEqual(before);
});

describe("an index of a table that has rows already", () => {
  beforeEach(fillByOldRelease);

  test("is not used by queries, and explain says why", async () => {
    const { storage: other } = another();
    expect(await createTables(other, [Runner])).toEqual([]);

    const query = twenty(other);

    expect((await query.toArray()).map(({ bib }) => bib)).toEqual([0]);
    expect(query.explain()).toMatchObject({
      index: undefined,
      unused: [{ index: "byAge", reason: expect.stringContaining("partita index build") as string }],
    });
    expect(String(query.explain())).toMatch(/ · index byAge has not been built \(partita index build/);
  });

  test("is refused by via, with the command to run", async () => {
    const asked = twenty(another().storage).via("byAge");

    await expect(asked.toArray()).rejects.toMatchObject({
      code: "index.not-built",
      details: { entity: "Runner", index: "byAge", state: "unrecorded" },
      message: expect.stringContaining("partita index build") as string,
    });
  });

  test("is written by saves, and asked about by each context until it is ready", async () => {
    const other = another();
    for (let bib = 10; bib < 13; bib++) {
      await using context = new TableContext(other.storage);
      context.create(Runner, { race: "r", bib, age: 20, mail: `${bib}@example.org` });
      await context.saveChanges();
      expect(await context.query(Runner).where({ race: "r", age: 20 }).count()).toBe(bib - 8);
      await context.query(Runner).where({ race: "r", age: 21 }).count();
    }
    // Once by the first save, for its unique index, and once by the queries of the other two contexts.
    expect(other.asked).toBe(3);

    expect(await verifyIndex(storage, Runner, "byAge")).toMatchObject({ rows: 3, missing: 4 });
  });

  test("says once that a unique value may be that of an older row", async () => {
    const { storage: other } = another();
    class Fresh extends defineEntity({ ...shape, indexes: { byMail } }) {}

    const warnings = await warningsDuring(async () => {
      for (const bib of [10, 11]) {
        await using context = new TableContext(other);
        context.create(Fresh, { race: "r", bib, age: 20, mail: `${bib}@example.org` });
        await context.saveChanges();
      }
    });

    expect(warnings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/unique index byMail of Fresh has not been built.*index build/),
    ]);
  });

  test("is ready once it is built, in contexts that are open, too", async () => {
    await using context = new TableContext(storage);
    const ask = () => context.query(Runner).where({ race: "r", age: 20 }).via("byAge").toArray();
    await expect(ask()).rejects.toMatchObject({ code: "index.not-built" });

    const report = await buildIndex(storage, Runner, "byAge");

    expect(report).toMatchObject({ written: 4, isClean: true });
    expect(await ask()).toHaveLength(1);
    expect(await twenty(another().storage).via("byAge").toArray()).toHaveLength(1);
  });

  test("that is built again is compared and repaired, and no row is touched", async () => {
    await buildIndex(storage, Runner, "byAge");
    const before = await storage.query("Races", {});

    const report = await buildIndex(another().storage, Runner, "byAge");

    expect(report).toMatchObject({ written: 0, isClean: true, verification: { entities: 4, rows: 4 } });
    expect(await storage.query("Races", {})).toEqual(before);
  });

  test("stays unbuilt while its values are not unique", async () => {
    await using old = new TableContext(storage);
    old.create(OldRunner, { race: "r", bib: 9, age: 1, mail: "1@example.org" });
    await old.saveChanges();

    expect(await buildIndex(storage, Runner, "byMail")).toMatchObject({ isClean: false });

    const asked = runnersOf(another().storage).where({ mail: "1@example.org" }).via("byMail");
    await expect(asked.toArray()).rejects.toMatchObject({
      code: "index.not-built",
      details: { state: "building" },
    });
  });

  test("is another index once its definition changes", async () => {
    await buildIndex(storage, Runner, "byAge");
    const query = new TableContext(storage).query(Changed).where({ race: "r", age: 20 });

    await expect(query.via("byAge").toArray()).rejects.toMatchObject({ code: "index.not-built" });
  });

  test("that was dropped is not ready any more, and can be built again", async () => {
    await buildIndex(storage, Runner, "byAge");
    expect(await dropIndex(storage, Retired, "byAge")).toMatchObject({ removed: 4, isClean: true });

    await expect(twenty(another().storage).via("byAge").toArray()).rejects.toMatchObject({
      code: "index.not-built",
    });
    expect(await buildIndex(storage, Runner, "byAge")).toMatchObject({ written: 4, isClean: true });
    expect(await twenty(another().storage).via("byAge").toArray()).toHaveLength(1);
  });

  test("is not used with credentials that may not read PartitaSchema, unless the class declares its state", async () => {
    const restricted = forwardStorage(storage, {
      query(table, query, options) {
        if (table !== "PartitaSchema") return storage.query(table, query, options);
        return Promise.reject(
          new StorageError("storage.forbidden", "not allowed", { applied: "no", status: 403 }),
        );
      },
    });
    await buildIndex(storage, Runner, "byAge");

    expect(await twenty(restricted).toArray()).toHaveLength(1);
    await expect(twenty(restricted).via("byAge").toArray()).rejects.toMatchObject({
      code: "index.not-built",
      message: expect.stringContaining('indexStates: "declared"') as string,
    });
    const declared = new TableContext(restricted).query(Declared).where({ race: "r", age: 20 });
    expect(await declared.via("byAge").toArray()).toHaveLength(1);
  });

  test("is not used by a query that was explained before storage was asked", async () => {
    const context = new TableContext(another().storage);
    const query = context.query(Runner).where({ race: "r", age: 20 });
    // Storage says so before rows are read.
    expect(query.explain().index).toBe("byAge");
    await context.query(Runner).where({ race: "r", age: 21 }).toArray();

    expect((await query.toArray()).map(({ bib }) => bib)).toEqual([0]);
    expect(await query.count()).toBe(1);
    expect((await query.page({ size: 5 })).entities).toHaveLength(1);
    expect(query.explain().index).toBeUndefined();
  });

  test("is asked about again after a request that failed", async () => {
    await buildIndex(storage, Runner, "byAge");
    let isDown = true;
    const flaky = forwardStorage(storage, {
      query(table, query, options) {
        if (!isDown) return storage.query(table, query, options);
        return Promise.reject(new StorageError("storage.down", "down", { applied: "no", status: 400 }));
      },
    });
    const context = new TableContext(flaky);
    const query = context.query(Runner).where({ race: "r", age: 20 }).via("byAge");
    await expect(query.toArray()).rejects.toMatchObject({ code: "storage.down" });

    isDown = false;

    expect(await query.toArray()).toHaveLength(1);
  });
});

describe("upgradeTable", () => {
  class Named extends defineEntity({
    ...shape,
    properties: { years: int32(), mail: text().optional() },
    version: upgrades(shape.properties).to(2, rename("age", "years")),
    indexes: { byMail, byBib: { rowKey: { bib: constant("NO:", padded(3)) } } },
  }) {}

  test("writes the rows of indexes that are not built with the rows it upgrades, unique ones included", async () => {
    await fillByOldRelease();

    expect(await upgradeTable(storage, [Named])).toMatchObject({ upgraded: 4, isClean: true });

    expect(await verifyIndex(storage, Named)).toMatchObject({ entities: 4, rows: 8, isClean: true });
  });

  test("leaves a unique value to the entity that has it already", async () => {
    await fillByOldRelease();
    await using old = new TableContext(storage);
    old.create(OldRunner, { race: "r", bib: 9, age: 1, mail: "1@example.org" });
    await old.saveChanges();
    await using context = new TableContext(storage);
    context.create(Named, { race: "r", bib: 20, years: 1, mail: "2@example.org" });
    await context.saveChanges();

    expect(await upgradeTable(storage, [Named])).toMatchObject({ upgraded: 5, isClean: true });

    const { missing, duplicateCount } = await verifyIndex(storage, Named, "byMail");
    expect({ missing, duplicateCount }).toEqual({ missing: 0, duplicateCount: 2 });
  });
});

describe("kinds", () => {
  class Animal extends defineEntity({ ...shape, table: "Animals", indexes: { byAge } }) {}
  class Cat extends defineKind(Animal, { kind: "Cat" }) {}
  class Dog extends defineKind(Animal, { kind: "Dog" }) {}

  test("a kind that is declared later than the index of its base has no older rows", async () => {
    await createTables(storage, [Cat]);
    await createTables(storage, [Dog]);
    const { storage: other } = another();
    await buildIndex(storage, Animal, "byAge");

    const dogs = new TableContext(other).query(Dog).where({ race: "r", age: 1 });

    expect(await dogs.via("byAge").toArray()).toEqual([]);
  });

  test("a base that createTables was not given is as ready as its kinds", async () => {
    await createTables(storage, [Cat, Dog]);

    const animals = new TableContext(another().storage).query(Animal).where({ race: "r", age: 1 });

    expect(await animals.via("byAge").toArray()).toEqual([]);
  });

  test("an index that was built for one kind is not built for its base", async () => {
    await createTables(storage, [Cat, Dog]);
    const { storage: other } = another();
    await other.deleteTable("PartitaSchema");
    await buildIndex(other, Cat, "byAge");
    const ask = (entity: typeof Animal): Promise<unknown> =>
      new TableContext(other).query(entity).where({ race: "r", age: 1 }).via("byAge").toArray();

    await expect(ask(Animal)).rejects.toMatchObject({ code: "index.not-built" });
    expect(await ask(Cat as unknown as typeof Animal)).toEqual([]);
  });

  describe.each(["skip", "error", "base"] as const)("with unknownKind: %s", (unknownKind) => {
    const program = (hasIndex: boolean) =>
      class Base extends defineEntity({
        ...shape,
        table: "Kinds",
        unknownKind,
        ...(hasIndex && { indexes: { byAge } }),
      }) {};

    test("a build by a program that does not know a kind leaves the index unbuilt for it, and for the base with it", async () => {
      class OldBase extends program(false) {}
      class OldA extends defineKind(OldBase, { kind: "A" }) {}
      class OldB extends defineKind(OldBase, { kind: "B" }) {}
      class SmallBase extends program(true) {}
      class SmallA extends defineKind(SmallBase, { kind: "A" }) {}
      class NewBase extends program(true) {}
      class NewA extends defineKind(NewBase, { kind: "A" }) {}
      class NewB extends defineKind(NewBase, { kind: "B" }) {}
      await createTables(storage, [OldBase, OldA, OldB]);
      await using old = new TableContext(storage);
      old.create(OldA, { race: "r", bib: 1, age: 3 });
      old.create(OldB, { race: "r", bib: 2, age: 3 });
      await old.saveChanges();
      for (const entity of [SmallA, NewA, NewB]) await createTables(await openStorage("memory:"), [entity]);

      await buildIndex(storage, SmallBase, "byAge");

      const ask = (entity: typeof NewBase) =>
        new TableContext(another().storage).query(entity).where({ race: "r", age: 3 } as never);
      expect(await ask(NewB as unknown as typeof NewBase).toArray()).toHaveLength(1);
      expect(await ask(NewA as unknown as typeof NewBase).toArray()).toHaveLength(1);
      expect(await ask(NewBase).toArray()).toHaveLength(2);

      expect(await buildIndex(storage, NewBase, "byAge")).toMatchObject({ isClean: true });
      const built = ask(NewBase);
      expect(await built.toArray()).toHaveLength(2);
      expect(built.explain().index).toBe("byAge");
    });
  });
});
