import { expect, test } from "vitest";
import {
  ConflictError,
  defineEntity,
  defineKind,
  int32,
  int64,
  type SaveError,
  TableContext,
  type TableStorage,
  text,
} from "../../../src/index.ts";
import { constant, padded, verbatim } from "../../../src/keys.ts";
import { verifyIndex } from "@partita/maintenance";
import { forwardStorage } from "../../../src/storage/forward-storage.ts";
import { rowKeysOf, storeOf } from "./store.ts";

class Runner extends defineEntity({
  table: "Races",
  partitionKey: { race: text() },
  rowKey: { bib: constant("BIB:", padded(3)) },
  properties: { age: int32().optional(), mail: text().optional(), note: text().optional() },
  indexes: {
    byAge: { rowKey: { age: constant("AGE:", padded(3)) }, copy: ["age"] },
    byMail: { rowKey: { mail: constant("MAIL:", verbatim) }, unique: true },
  },
}) {}

class Animal extends defineEntity({
  table: "Animals",
  partitionKey: { zoo: text() },
  rowKey: { id: text() },
  properties: { age: int32().optional(), name: text().optional() },
  indexes: { byAge: { rowKey: { age: constant("AGE:", padded(3)), id: text() } } },
}) {}
class Cat extends defineKind(Animal, { kind: "Cat" }) {}

const first = { race: "r", bib: 1 };

/** The store, where somebody else does something before the first transaction or write arrives. */
function whereFirst(storage: TableStorage, act: () => Promise<unknown>): TableStorage {
  let before: (() => Promise<unknown>) | undefined = act;
  const acted = async (): Promise<void> => {
    const now = before;
    before = undefined;
    await now?.();
  };
  return forwardStorage(storage, {
    async write(table, operation, options) {
      await acted();
      return storage.write(table, operation, options);
    },
    async transact(table, operations, options) {
      await acted();
      return storage.transact(table, operations, options);
    },
  });
}

async function add(storage: TableStorage, values: Partial<Runner> = {}): Promise<void> {
  const context = new TableContext(storage);
  context.create(Runner, { ...first, ...values });
  await context.saveChanges();
}

test("a removal of any version removes the index rows of an entity that was stored just before it", async () => {
  await using storage = await storeOf(Runner);
  const context = new TableContext(whereFirst(storage, () => add(storage, { age: 30, mail: "a" })));
  context.removeByKey(Runner, first, "*");

  await context.saveChanges();

  expect(await rowKeysOf(storage, "Races")).toEqual([]);
});

test("a removal of any version that finds no row is refused as missing", async () => {
  await using storage = await storeOf(Runner);
  const context = new TableContext(storage);
  context.removeByKey(Runner, first, "*");

  const error: unknown = await context.saveChanges().catch((refused: unknown) => refused);

  expect((error as SaveError).results).toMatchObject([{ outcome: "rejected", error: { reason: "missing" } }]);
  expect((error as SaveError).results[0]?.error).toBeInstanceOf(ConflictError);
});

test("a change of any version that no index copies is made over what is stored by then", async () => {
  await using storage = await storeOf(Runner);
  await add(storage, { age: 30 });
  const other = async (): Promise<unknown> =>
    new TableContext(storage).modify(Runner, first, (runner) => void (runner.age = 31));
  const context = new TableContext(whereFirst(storage, other));
  const runner = context.attach(new Runner(first), "*");
  runner.note = "late";

  await context.saveChanges();

  expect(await rowKeysOf(storage, "Races")).toEqual(["AGE:031_BIB:001", "BIB:001"]);
  expect(await new TableContext(storage).find(Runner, first)).toMatchObject({ age: 31, note: "late" });
});

test("a merging upsert leaves copies of the kind that copies have", async () => {
  await using storage = await storeOf(Animal);
  const cat = { zoo: "z", id: "tom", age: 4 };
  for (let i = 0; i < 2; i++) {
    const context = new TableContext(storage);
    context.upsert(new Cat(cat), "merge");
    await context.saveChanges();
  }

  const copy = await storage.get("Animals", { partitionKey: "z", rowKey: "AGE:004_tom" });

  expect(copy).toMatchObject({ Kind: "Cat~byAge", age: 4 });
});

test("what is reported of an upsert is the upsert, whatever is sent in its place", async () => {
  await using storage = await storeOf(Runner);
  const context = new TableContext(storage);
  context.upsert(new Runner({ ...first, age: 30 }), "replace");

  const results = await context.saveChanges();

  expect(results).toMatchObject([{ operation: "upsert-replace", outcome: "committed" }]);
});

test("a removal of a part of an entity that is gone is refused as missing, as without indexes", async () => {
  await using storage = await storeOf(Runner);
  await add(storage, { age: 30, note: "n" });
  const context = new TableContext(storage);
  const [part] = await context.query(Runner).where({ race: "r" }).select("note").toArray();
  const other = new TableContext(storage);
  other.removeByKey(Runner, first, "*");
  await other.saveChanges();
  context.remove(part as object);

  const error: unknown = await context.saveChanges().catch((refused: unknown) => refused);

  expect((error as SaveError).results).toMatchObject([
    { operation: "delete", outcome: "rejected", error: { reason: "missing" } },
  ]);
});

test("an instance that takes the key of a removed one is refused as a replacement once others changed the row", async () => {
  await using storage = await storeOf(Runner);
  await add(storage, { age: 30 });
  const context = new TableContext(storage);
  const [part] = await context.query(Runner).where({ race: "r" }).select("note").toArray();
  await new TableContext(storage).modify(Runner, first, (runner) => void (runner.age = 31));
  context.remove(part as object);
  context.create(Runner, { ...first, age: 50 });

  const error: unknown = await context.saveChanges().catch((refused: unknown) => refused);

  expect((error as SaveError).results).toMatchObject([
    { operation: "replace", outcome: "rejected", error: { reason: "etag" } },
  ]);
  expect(await rowKeysOf(storage, "Races")).toEqual(["AGE:031_BIB:001", "BIB:001"]);
});

test("what an attached entity claims and the store does not have is not indexed", async () => {
  await using storage = await storeOf(Runner);
  await add(storage, { age: 30, mail: "a" });
  const context = new TableContext(storage);
  const runner = context.attach(new Runner({ ...first, age: 77, mail: "z" }), "*");
  runner.note = "n";

  await context.saveChanges();

  expect(await rowKeysOf(storage, "Races")).toEqual(["AGE:030_BIB:001", "BIB:001", "MAIL:a"]);
});

test("a partly loaded entity that only a validator changes is refused, since its copies would lose the rest", async () => {
  await using storage = await storeOf(Animal);
  const before = new TableContext(storage);
  before.create(Cat, { zoo: "z", id: "tom", age: 4, name: "Tom" });
  await before.saveChanges();
  const parts: Animal[] = [];
  const validate = (): [] => {
    for (const part of parts) part.age = 5;
    return [];
  };
  const context = new TableContext(storage, { validate });
  parts.push(...(await context.query(Animal).where({ zoo: "z" }).select("age").toArray()));
  context.create(Cat, { zoo: "z", id: "new" });

  const error = (await context.saveChanges().catch((refused: unknown) => refused)) as SaveError;

  expect(error.results.map(({ error: each }) => each)).toContainEqual(
    expect.objectContaining({ code: "entity.not-read" }),
  );
  expect(await rowKeysOf(storage, "Animals")).toEqual(["AGE:004_tom", "tom"]);
});

test("index rows that another program removed stop neither a change of their keys nor a removal", async () => {
  await using storage = await storeOf(Runner);
  await add(storage, { age: 30, mail: "a", note: "n" });
  for (const rowKey of ["AGE:030_BIB:001", "MAIL:a"])
    await storage.write("Races", { type: "delete", key: { partitionKey: "r", rowKey }, etag: "*" });

  await new TableContext(storage).modify(Runner, first, (runner) => void (runner.age = 31));

  expect(await rowKeysOf(storage, "Races")).toEqual(["AGE:031_BIB:001", "BIB:001"]);
  const context = new TableContext(storage);
  context.removeByKey(Runner, first, "*");
  await context.saveChanges();
  expect(await rowKeysOf(storage, "Races")).toEqual([]);
});

test("entities of one transaction swap their unique values, and hand them over", async () => {
  await using storage = await storeOf(Runner);
  const context = new TableContext(storage);
  const runners = ["a", "b", "c"].map((mail, bib) => context.create(Runner, { race: "r", bib, mail }));
  await context.saveChanges();
  const [one, two, three] = runners as [Runner, Runner, Runner];

  [one.mail, two.mail] = [two.mail, one.mail];
  await context.saveChanges();
  [one.mail, two.mail, three.mail] = [two.mail, three.mail, "d"];
  await context.saveChanges();

  const owners = await Promise.all(
    ["a", "c", "d"].map((mail) => storage.get("Races", { partitionKey: "r", rowKey: `MAIL:${mail}` })),
  );
  expect(owners.map((row) => row?.["_k"])).toEqual(["BIB:000", "BIB:001", "BIB:002"]);
  expect((await rowKeysOf(storage, "Races")).length).toBe(6);
});

class OldRunner extends defineEntity({
  table: "Races",
  partitionKey: { race: text() },
  rowKey: { bib: constant("BIB:", padded(3)) },
  properties: { age: int32().optional() },
}) {}

test("an entity whose stored value does not fit an index can be removed, and be given a value that fits", async () => {
  await using storage = await storeOf(Runner);
  const old = new TableContext(storage);
  for (const bib of [1, 2, 3]) old.create(OldRunner, { race: "r", bib, age: 1000 });
  await old.saveChanges();
  const context = new TableContext(storage);
  const [one, two, three] = await context.query(Runner).where({ race: "r" }).toArray();
  context.remove(one as Runner);
  (two as Runner).age = 20;
  delete (three as Runner).age;

  await context.saveChanges();

  expect(await rowKeysOf(storage, "Races")).toEqual(["AGE:020_BIB:002", "BIB:002", "BIB:003"]);
});

class Account extends defineEntity({
  table: "Accounts",
  partitionKey: { bank: text() },
  rowKey: { no: constant("ACC:", padded(3)) },
  properties: { rank: int32(), cents: int64() },
  indexes: {
    byRank: { rowKey: { rank: constant("RANK:", padded(2)) } },
    byRankCents: { rowKey: { rank: constant("CENTS:", padded(2)) }, copy: ["cents"] },
  },
}) {}

test("copies have the types of the values they are copies of, after a change and by what an index should hold", async () => {
  await using storage = await storeOf(Account);
  const context = new TableContext(storage);
  const account = context.create(Account, { bank: "b", no: 1, rank: 1, cents: 5n });
  await context.saveChanges();
  account.cents = 6n;
  await context.saveChanges();

  const { entities } = await storage.query("Accounts", {});
  expect(entities.map((row) => [row["cents"], row["cents@odata.type"]])).toEqual(
    entities.map(() => ["6", "Edm.Int64"]),
  );
  expect(await verifyIndex(storage, Account)).toMatchObject({ isClean: true, different: 0 });
  const found = new TableContext(storage)
    .query(Account)
    .via("byRank")
    .where({ bank: "b", rank: 1, cents: 6n });
  expect((await found.toArray()).map(({ cents }) => cents)).toEqual([6n]);
});

/** The same table to a program that does not know its indexes. */
class Plain extends defineEntity({
  table: "Races",
  partitionKey: { race: text() },
  rowKey: { bib: constant("BIB:", padded(3)) },
  properties: { age: int32().optional(), mail: text().optional(), note: text().optional() },
}) {}

test.each([
  ["changed", (one: Runner) => void (one.mail = "b")],
  ["removed", (one: Runner, context: TableContext) => context.remove(one)],
])("a unique value stays its owner's when another entity that has it is %s", async (_what, change) => {
  await using storage = await storeOf(Runner);
  await add(storage, { mail: "a" });
  const foreign = new TableContext(storage);
  foreign.create(Plain, { race: "r", bib: 2, mail: "a" });
  await foreign.saveChanges();
  const context = new TableContext(storage);
  const second = await context.query(Runner).where({ race: "r", bib: 2 }).single();

  change(second, context);
  await context.saveChanges();
  context.create(Runner, { race: "r", bib: 3, mail: "a" });
  const error = (await context.saveChanges().catch((failure: unknown) => failure)) as SaveError;

  expect(error.results[0]?.error).toMatchObject({ reason: "unique" });
  expect(await rowKeysOf(storage, "Races")).toContain("MAIL:a");
});

test("a value of two entities is not given to a third one by that of them which does not own it", async () => {
  await using storage = await storeOf(Runner);
  await add(storage, { mail: "a" });
  const foreign = new TableContext(storage);
  foreign.create(Plain, { race: "r", bib: 2, mail: "a" });
  await foreign.saveChanges();
  const context = new TableContext(storage);
  const second = await context.query(Runner).where({ race: "r", bib: 2 }).single();
  second.mail = "b";
  context.create(Runner, { race: "r", bib: 3, mail: "a" });

  const error = (await context.saveChanges().catch((failure: unknown) => failure)) as SaveError;

  expect(error.results.map((result) => result.outcome)).toEqual(["rejected", "rejected"]);
  expect(error.results[1]?.error).toMatchObject({ reason: "unique" });
});
