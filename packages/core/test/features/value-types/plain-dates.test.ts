import { describe, expect, test } from "vitest";
import {
  createTables,
  defineEntity,
  fromPlain,
  openStorage,
  TableContext,
  type TableStorage,
  text,
  toPlain,
} from "../../../src/index.ts";
import { constant, verbatim } from "../../../src/keys.ts";
import { plainDate } from "../../../src/models.ts";
import { retype, upgrades } from "../../../src/upgrades.ts";
import { refusalCode } from "./refusal-code.ts";

const keys = { partitionKey: { club: text() }, rowKey: { id: text() } } as const;

class Person extends defineEntity({
  table: "People",
  ...keys,
  properties: { born: plainDate(), died: plainDate().optional() },
  indexes: { byDay: { rowKey: { born: constant("BORN:", verbatim) } } },
}) {}

async function storageWith(...days: readonly string[]): Promise<TableStorage> {
  const storage = await openStorage("memory:");
  await createTables(storage, [Person]);
  const context = new TableContext(storage);
  for (const born of days) context.add(new Person({ club: "c", id: born, born }));
  await context.saveChanges();
  return storage;
}

const inClub = (storage: TableStorage) => new TableContext(storage).query(Person).where({ club: "c" });

test.each(["2024-02-29", "0001-01-01", "9999-12-31", "2000-02-29"])(
  "T18: %s is stored as that text, and read back",
  async (born) => {
    const storage = await storageWith(born);

    const row = await storage.get("People", { partitionKey: "c", rowKey: born });
    expect(row).toMatchObject({ born });
    expect(row).not.toHaveProperty("born@odata.type");
    expect(await inClub(storage).single()).toMatchObject({ born });
  },
);

test.each([
  "2023-02-29",
  "1900-02-29",
  "2024-2-9",
  "0000-01-01",
  "2024-02-29T00:00:00Z",
  "20240229",
  " 2024-02-29",
  "+02024-02-29",
  "10000-01-01",
  "",
  new Date("2024-02-29"),
  20_240_229,
])("T18: %o is refused before anything is sent", async (born) => {
  const storage = await storageWith();
  const context = new TableContext(storage);
  context.add(new Person({ club: "c", id: "x", born: born as string }));

  await expect(context.saveChanges()).rejects.toMatchObject({
    code: "save.invalid",
    cause: {
      code: typeof born === "string" ? "edm.malformed" : "edm.wrong-type",
      message: expect.stringContaining("Person.born") as string,
    },
  });
  expect(await inClub(storage).count()).toBe(0);
});

test("a Date does not compile", () => {
  // @ts-expect-error a day is text
  expect(() => toPlain(new Person({ club: "c", id: "x", born: new Date(0) }))).toThrow("Person.born");
});

describe("conditions", () => {
  const stored = () => storageWith("1815-12-10", "1906-12-09", "1912-06-23");
  const daysOf = async (query: { toArray(): Promise<Person[]> }) =>
    (await query.toArray()).map(({ born }) => born).toSorted();

  test("compare days", async () => {
    const query = inClub(await stored());

    expect(await daysOf(query.where((p) => p.born.lt("1906-12-09")))).toEqual(["1815-12-10"]);
    expect(await daysOf(query.where((p) => p.born.ge("1906-12-09")))).toEqual(["1906-12-09", "1912-06-23"]);
    expect(await daysOf(query.where((p) => p.born.between("1900-01-01", "1910-12-31")))).toEqual([
      "1906-12-09",
    ]);
    expect(await daysOf(query.where((p) => p.born.in(["1815-12-10", "1912-06-23"])))).toEqual([
      "1815-12-10",
      "1912-06-23",
    ]);
    expect(await daysOf(query.where({ born: "1906-12-09" }))).toEqual(["1906-12-09"]);
  });

  test("refuse what is no day, and startsWith", async () => {
    const query = inClub(await stored());

    expect(refusalCode(() => query.where((p) => p.born.gt("1906-2-9")))).toBe("query.wrong-type");
    // @ts-expect-error a day is text
    expect(refusalCode(() => query.where((p) => p.born.gt(new Date(0))))).toBe("query.wrong-type");
    // @ts-expect-error a day does not begin with anything
    expect(refusalCode(() => query.where((p) => p.born.startsWith("19") as never))).toBe(
      "query.not-comparable",
    );
  });

  test("an index of days is in their order", async () => {
    const found = await inClub(await stored())
      .where((p) => p.born.ge("1906-01-01"))
      .via("byDay")
      .toArray();

    expect(found.map(({ born }) => born)).toEqual(["1906-12-09", "1912-06-23"]);
  });
});

test("an edit is found, and the same day is no change", async () => {
  const storage = await storageWith("1815-12-10");
  const context = new TableContext(storage);
  const person = await context.query(Person).where({ club: "c" }).single();

  person.born = "1815-12-10";
  expect(await context.saveChanges()).toEqual([]);
  person.born = "1815-12-11";
  person.died = "1852-11-27";
  expect(context.pendingChanges()).toMatchObject([{ assigned: ["born", "died"] }]);
  await context.saveChanges();

  person.died = undefined;
  await context.saveChanges();
  const read = await inClub(storage).single();
  expect(read).toMatchObject({ born: "1815-12-11" });
  expect(read.died).toBeUndefined();
});

test("plain data has the same text, and takes no other", () => {
  const plain = { club: "c", id: "x", born: "1815-12-10" };

  expect(toPlain(new Person(plain))).toEqual(plain);
  expect(fromPlain(Person, plain).born).toBe("1815-12-10");
  expect(() => fromPlain(Person, { ...plain, born: "1815-12-32" })).toThrow(
    "Person.born takes an existing day",
  );
});

test("a row with another text is unreadable, and says why", async () => {
  const storage = await storageWith();
  const entity = { PartitionKey: "c", RowKey: "x", born: "yesterday" };
  await storage.write("People", { type: "insert", entity });

  await expect(inClub(storage).toArray()).rejects.toMatchObject({ code: "edm.malformed" });
});

test("an upgrade makes days of other text", async () => {
  class Upgraded extends defineEntity({
    table: "People",
    ...keys,
    properties: { born: plainDate() },
    version: upgrades({ Born: text() }).to(
      2,
      retype("Born", "born", plainDate(), (born: string) => born.replaceAll("/", "-")),
    ),
  }) {}
  const storage = await storageWith();
  const entity = { PartitionKey: "c", RowKey: "x", Born: "1815/12/10" };
  await storage.write("People", { type: "insert", entity });

  const found = await new TableContext(storage).query(Upgraded).where({ club: "c" }).single();

  expect(found.born).toBe("1815-12-10");
});
