import { isDeepStrictEqual } from "node:util";
import { isFull } from "@partita/test-support/effort";
import { fc } from "@fast-check/vitest";
import { temporaryFolder } from "@partita/test-support/temporary-folder";
import { startTableServer } from "@partita/server";
import { expect, test } from "vitest";
import { createTables, openStorage, TableContext, type TableStorage } from "../../src/index.ts";
import type { StoredEntity } from "../../src/storage.ts";
import { modelOf } from "../../src/models.ts";
import { everyForm, type InitialClass, initialClass, membersOf } from "../support/initial-classes.ts";

// A row without a value keeps what the constructor assigned: for each form of a class, each type, and each way of reading.

/** Rows of a class: more than are parsed before code is written for them. */
const rowsOfClass = 230;
const randomClasses = 12;

type Values = Record<string, unknown>;

/** A way of reading rows of a class, the first of them at least. */
type Way = (context: TableContext) => Promise<readonly object[]>;

const key = (i: number): string => String(i).padStart(4, "0");

function waysOf({ entityClass, properties, isVersioned }: InitialClass): Readonly<Record<string, Way>> {
  const names = properties.map(({ name }) => name) as never[];
  const all = (context: TableContext) => context.query(entityClass).where({ p: "p" } as never);
  const untracked: Way = (context) => all(context).mergeOption("noTracking").toArray();
  const found = async (context: TableContext): Promise<object[]> => [
    (await context.find(entityClass, { p: "p", id: key(0) } as never)) as object,
  ];
  const ways: Record<string, Way> = {
    query: (context) => all(context).toArray(),
    "query again": (context) => all(context).toArray(),
    untracked,
    "untracked again": untracked,
    page: async (context) => (await all(context).page({ size: 50 })).entities,
    find: found,
    async reload(context) {
      const [one] = await found(context);
      await context.reload(one as object);
      return [one as object];
    },
    async overwritten(context) {
      const edited = (await all(context).toArray()) as Values[];
      for (const entity of edited) for (const name of names) entity[name] = undefined;
      return all(context).mergeOption("overwriteChanges").toArray();
    },
    async preserved(context) {
      await all(context).toArray();
      return all(context).mergeOption("preserveChanges").toArray();
    },
  };
  // A projection reads parts, which no upgrade makes.
  if (isVersioned) return ways;
  const selected = (context: TableContext) => all(context).select(...names);
  return {
    ...ways,
    selected: (context) => selected(context).toArray(),
    "selected, untracked": (context) => selected(context).mergeOption("noTracking").toArray(),
    async completed(context) {
      await all(context)
        .select(...(["touched"] as never[]))
        .toArray();
      return found(context);
    },
  };
}

/** Rows with some of the properties; half of those of a class with upgrades are of the first version. */
function rowsOf(one: InitialClass, seed: number): StoredEntity[] {
  const present = fc.array(fc.boolean(), {
    minLength: one.properties.length,
    maxLength: one.properties.length,
  });
  return fc.sample(present, { numRuns: rowsOfClass, seed }).map((chosen, i) => ({
    PartitionKey: "p",
    RowKey: key(i),
    ...(one.isVersioned && i % 2 === 0 && { SchemaVersion: 2, added: 3 }),
    ...(membersOf(one, i === 0 ? [] : chosen) as Record<string, never>),
  }));
}

async function fill(storage: TableStorage, { entityClass }: InitialClass, rows: readonly StoredEntity[]) {
  await createTables(storage, [entityClass]);
  for (let at = 0; at < rows.length; at += 100) {
    const operations = rows.slice(at, at + 100).map((entity) => ({ type: "insert" as const, entity }));
    await storage.transact(modelOf(entityClass).table, operations);
  }
}

const plain = (value: unknown): unknown => (value instanceof URL ? value.href : value);

let cells = 0;

/** What entities have for properties that their rows lack, where it is something else than a new instance has. */
function wrongValues(one: InitialClass, rows: readonly StoredEntity[], found: readonly object[]): unknown[] {
  const fresh = modelOf(one.entityClass).create() as Values;
  const wrong: unknown[] = [];
  const seen = new Set<unknown>(Object.values(fresh).filter((value) => typeof value === "object"));
  for (const [i, entity] of (found as Values[]).entries())
    for (const { name } of one.properties) {
      if ((rows[i] as StoredEntity)[name] !== undefined) continue;
      cells++;
      const value = entity[name];
      if (!isDeepStrictEqual(plain(value), plain(fresh[name])))
        wrong.push({ i, name, value, fresh: fresh[name] });
      if (typeof value !== "object" || value === null) continue;
      if (seen.has(value)) wrong.push({ i, name, isShared: true });
      seen.add(value);
    }
  return wrong;
}

async function check(storage: TableStorage, one: InitialClass, rows: readonly StoredEntity[]): Promise<void> {
  await fill(storage, one, rows);
  for (const [name, read] of Object.entries(waysOf(one))) {
    const context = new TableContext(storage);
    const found = await read(context);

    expect({ name, form: one.form, wrong: wrongValues(one, rows, found).slice(0, 3) }).toEqual({
      name,
      form: one.form,
      wrong: [],
    });
    expect(found.length).toBeGreaterThan(0);
    // What is not tracked has no changes either.
    expect({ name, pending: context.pendingChanges() }).toEqual({ name, pending: [] });
  }
  await checkSaves(storage, one, rows);
}

/** A save of another property leaves the value absent; one that replaces the row stores what the entity has. */
async function checkSaves(
  storage: TableStorage,
  one: InitialClass,
  rows: readonly StoredEntity[],
): Promise<void> {
  const { entityClass, properties } = one;
  const { table, properties: models } = modelOf(entityClass);
  const stored = async (i: number) => await storage.get(table, { partitionKey: "p", rowKey: key(i) });
  const context = new TableContext(storage);
  // The first of them has no value at all, and the present version.
  const [entity] = (await context
    .query(entityClass)
    .where({ p: "p" } as never)
    .take(1)
    .toArray()) as Values[];
  const fresh = modelOf(entityClass).create() as Values;

  (entity as Values)["touched"] = "x";
  await context.saveChanges();
  const merged = await stored(0);
  for (const { name } of properties) expect(merged?.[name]).toBeUndefined();
  expect(merged?.["touched"]).toBe("x");
  expect(context.pendingChanges()).toEqual([]);

  (entity as Values)["touched"] = "y";
  await context.saveChanges({ update: "replace" });
  const replaced = await stored(0);
  for (const { name } of properties) {
    const model = models.find((each) => each.name === name);
    const expected =
      fresh[name] === undefined ? undefined : (model?.serializer.encode(fresh[name], model.path) as unknown);
    expect({ name, value: replaced?.[name] }).toEqual({ name, value: expected });
  }
  expect(context.pendingChanges()).toEqual([]);
  expect(rows[0]).not.toHaveProperty("touched");
}

const classes = [
  ...everyForm(false),
  ...everyForm(true),
  ...fc.sample(initialClass, { numRuns: randomClasses, seed: 34 }),
];

test(`${classes.length} classes of ${rowsOfClass} rows, over memory, file and REST, in every way of reading`, async () => {
  await using memory = await openStorage("memory:");
  await using folder = await temporaryFolder();
  await using file = await openStorage(`file:${folder.file("initial.db")}`);
  await using server = await startTableServer();
  await using rest = await openStorage(server.connectionString);

  for (const [i, one] of classes.entries()) {
    const rows = rowsOf(one, 1000 + i);
    // Each class over REST and over one of the others, or over one of all.
    if (isFull || i % 3 > 0) await check(i % 2 === 0 ? memory : file, one, rows);
    if (isFull || i % 3 === 0) await check(rest, one, rows);
  }

  expect(cells).toBeGreaterThan(isFull ? 400_000 : 200_000);
});
