import { runInNewContext } from "node:vm";
import { openStorage, TableContext } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import { newestFirst, oldestFirst, ulid } from "@partita/core/keys";
import { expect, test } from "vitest";
import { buildClass } from "../../src/generate/build-classes.ts";
import { checkClasses } from "../../src/generate/check-classes.ts";
import { type ClassGuess, guessClasses } from "../../src/generate/class-guess.ts";
import { guessKey } from "../../src/generate/guess-key.ts";
import { printModule } from "../../src/generate/print-classes.ts";

const codesOf = (keys: readonly string[], isRowKey = true): string =>
  guessKey(keys, isRowKey)
    .parts.map(({ code }) => code)
    .join(", ");

const days = [1, 2, 3].map((day) => new Date(Date.UTC(2024, 1, day, 10)));

test.each<[string, readonly string[], string]>([
  ["GUIDs", ["0b1c3ba0-7f5b-4d8c-9a0e-2f6f0a4c1d11", "f51c3ba0-7f5b-4d8c-9a0e-2f6f0a4c1d12"], "guid()"],
  ["ULIDs", [ulid(), ulid()], "ulid"],
  ["inverted ticks", days.map((day) => newestFirst.encode(day) as string), "newestFirst"],
  [
    "inverted ticks below the millisecond",
    ["2521794455999999991", "2521794456999999992"],
    "newestFirst({ ticks: true })",
  ],
  ["ticks", days.map((day) => oldestFirst.encode(day) as string), "oldestFirst"],
  ["padded numbers", ["0001", "0420"], "padded(4)"],
  ["long padded numbers", ["00000000000000001", "00000000000000002"], "padded64(17)"],
  ["numbers of different lengths", ["9", "10"], "text()"],
  ["one word in each partition", ["profile", "profile"], 'constant("profile")'],
  ["a word and a number", ["order_0001", "order_0002"], 'constant("order"), padded(4)'],
  ["a number and a word", ["0001!paid", "0002!open"], "padded(4), text()"],
  ["escaped texts", ["a.~b", "c.~d.~e"], "escaped"],
  ["days", ["2024-01-01", "2024-01-02"], "text()"],
  ["GUIDs in capitals", ["0B1C3BA0-7F5B-4D8C-9A0E-2F6F0A4C1D11"], "text()"],
  ["names with hyphens", ["Jean-Paul", "Anne-Marie"], "text()"],
  ["no text", ["", "a"], "text()"],
])("RowKeys that are %s", (_name, keys, codes) => {
  expect(codesOf(keys)).toBe(codes);
});

test("one PartitionKey for all rows is a value that others may follow", () => {
  expect(codesOf(["Channel9", "Channel9"], false)).toBe("text()");
});

const row = (PartitionKey: string, RowKey: string, members: object): StoredEntity =>
  ({ PartitionKey, RowKey, ...members }) as StoredEntity;

const shop: readonly StoredEntity[] = [0, 1, 2, 3].flatMap((n) => [
  row("c1", `order_000${n}`, { Type: "order", Total: n + 0.5, ...(n > 1 && { Note: "n" }) }),
  row("c1", `line_000${n}`, { Type: "line", "Count@odata.type": "Edm.Int64", Count: String(n) }),
]);

const summary = ({ name, kind, rowKey, properties }: ClassGuess): object => ({
  name,
  kind,
  key: rowKey.parts.map(({ code }) => code),
  properties: properties.map(
    ({ property, code, isOptional }) => `${property}${isOptional ? "?" : ""} ${code}`,
  ),
});

test("kinds are told by a property, and by the beginning of keys", () => {
  expect(guessClasses("Shop", shop).map(summary)).toEqual([
    {
      name: "Order",
      kind: { name: "order", storedIn: "Type", isPrefix: true },
      key: ["padded(4)"],
      properties: ["total double()", "note? text()"],
    },
    {
      name: "Line",
      kind: { name: "line", storedIn: "Type", isPrefix: true },
      key: ["padded(4)"],
      properties: ["count int64()"],
    },
  ]);
  const untold = shop.map(({ Type: _type, ...rest }) => rest as StoredEntity);
  expect(guessClasses("Shop", untold).map(({ kind }) => kind)).toEqual([
    { name: "order", storedIn: undefined, isPrefix: true },
    { name: "line", storedIn: undefined, isPrefix: true },
  ]);
});

/** Rows as an adapter of a login library stores them: the PartitionKey says what a row is. */
const logins = (partitionOf: (kind: string, n: number) => string): StoredEntity[] =>
  [0, 1, 2, 3].flatMap((n) => [
    row(partitionOf("users", n), `u${n}@example.org`, { email: "e", name: "n", image: "i" }),
    row(partitionOf("accounts", n), `a${n}`, {
      userId: "u",
      provider: "p",
      providerAccountId: "x",
      scope: "s",
      ...(n > 2 && { refreshToken: "t" }),
    }),
    row(partitionOf("sessions", n), `s${n}`, { userId: "u", sessionToken: "t" }),
    row(partitionOf("sessionsByUser", n), `u${n}`, { userId: "u" }),
  ]);

test.each([
  ["is their kind", (kind: string) => kind, "", 'PartitionKey === "users"'],
  [
    "begins with it",
    (kind: string, n: number) => `${kind}_000${n}`,
    "_",
    'PartitionKey.startsWith("users_")',
  ],
] as const)(
  "kinds whose PartitionKey %s have a class each, which reads its rows",
  async (_what, partitionOf, separator, code) => {
    const rows = logins(partitionOf);
    const classes = guessClasses("Logins", rows);

    expect(
      classes.map(({ name, properties }) => [
        name,
        ...properties.map((one) => `${one.property}${one.isOptional ? "?" : ""}`),
      ]),
    ).toEqual([
      ["Users", "email", "name", "image"],
      ["Accounts", "userId", "provider", "providerAccountId", "scope", "refreshToken?"],
      ["Sessions", "userId", "sessionToken"],
      ["SessionsByUser", "userId"],
    ]);
    expect(classes[0]).toMatchObject({
      kind: { name: "users", storedIn: undefined, isPrefix: false, partition: { name: "users", separator } },
      partitionKey: {
        parts: [{ code: 'constant("users")' }, ...(separator === "" ? [] : [{ code: "padded(4)" }])],
      },
    });
    const text = printModule(classes, "define-entity", "here");
    expect(text).toContain(`kind: { name: "users", stored: false, when: ({ PartitionKey }) => ${code} },`);
    expect(printModule(classes, "decorators", "here")).toContain(
      `@Kind("users", { stored: false, when: ({ PartitionKey }) => ${code} })`,
    );

    await using storage = await openStorage("memory:");
    await storage.createTable("Logins");
    for (const entity of rows) await storage.write("Logins", { type: "insert", entity });
    expect(await checkClasses(storage, classes, new AbortController().signal)).toEqual({
      read: rows.length,
      problem: undefined,
    });
    const Sessions = buildClass(classes[2] as ClassGuess);
    const found = new TableContext(storage).query(Sessions).scan();
    expect(await found.toArray()).toHaveLength(4);
  },
);

test("partitions of one class that differ by optional properties are no kinds", () => {
  const rows = ["acme", "contoso", "fabrikam"].flatMap((customer, c) =>
    [0, 1, 2].map((n) =>
      row(customer, `r${n}`, { Total: n, Paid: true, ...(c > 0 && { Note: "n" }), ...(c > 1 && { Tax: 1 }) }),
    ),
  );

  expect(guessClasses("Orders", rows).map(({ name, kind }) => [name, kind])).toEqual([["Orders", undefined]]);
});

test.each([
  ["Edm.Int32 and Edm.Double", [1, 2.5], "double()", "Edm.Double"],
  ["Edm.Double and Edm.Int32", [2.5, 1, 3.5], "double()", "Edm.Double"],
  ["Edm.Int32 and Edm.Int64", [1, ["5", "Edm.Int64"]], "int64()", "Edm.Int64"],
  ["Edm.Int32, Edm.Int64 and Edm.Double", [1, ["5", "Edm.Int64"], 2.5], undefined, ""],
  ["Edm.Int64 and Edm.Double", [["5", "Edm.Int64"], 2.5], undefined, ""],
  ["Edm.Int32 and Edm.String", [1, "one"], undefined, ""],
] as const)(
  "a column of %s is declared as the type that reads it, with a note",
  (_types, values, code, written) => {
    const rows = values.map((value, n) =>
      row("p", `r${n}`, typeof value === "object" ? { N: value[0], "N@odata.type": value[1] } : { N: value }),
    );
    const [guess] = guessClasses("Numbers", rows);

    expect(guess?.properties.map((one) => one.code)).toEqual(code === undefined ? [] : [code]);
    expect(guess?.undeclared).toHaveLength(code === undefined ? 1 : 0);
    if (code === undefined) return;
    for (const form of ["define-entity", "decorators"] as const)
      expect(printModule([guess as ClassGuess], form, "here")).toContain(
        `// some rows have Edm.Int32, others ${written}: ${code} reads both, and writes ${written}`,
      );
  },
);

test("the class of a column with Int32 in some rows and Double in others reads all rows", async () => {
  const rows = [1, 2.5, 3].map((value, n) => row("p", `r${n}`, { N: value }));
  await using storage = await openStorage("memory:");
  await storage.createTable("Numbers");
  for (const entity of rows) await storage.write("Numbers", { type: "insert", entity });

  const checked = await checkClasses(storage, guessClasses("Numbers", rows), new AbortController().signal);
  expect(checked).toEqual({ read: 3, problem: undefined });
});

const globals = runInNewContext("Object.getOwnPropertyNames(globalThis)") as readonly string[];

test.each(globals.filter((name) => /^[A-Z]\w*[A-Za-z]$/.test(name)))(
  "a table named %s gives a class of another name",
  (table) => {
    expect(guessClasses(table, [row("p", "r", { N: 1 })])[0]?.name).toBe(`${table}Row`);
  },
);

test("what no class can declare is left as it is stored, and named", () => {
  const [guess] = guessClasses("Odd", [
    row("p", "a", { Value: 1, constructor: "c" }),
    row("p", "b", { Value: "one", toString: 5 }),
  ]);
  expect(guess?.undeclared.map(({ storedName }) => storedName)).toEqual(["Value", "constructor", "toString"]);
  expect(guess?.properties).toEqual([]);
  expect(printModule([guess as ClassGuess], "define-entity", "here")).toContain(
    '"Value" is not declared: it has values of Edm.Int32 and Edm.String',
  );
});

test("classes read the rows they were made of; a query by a part of the key is a range", async () => {
  await using storage = await openStorage("memory:");
  await storage.createTable("Shop");
  for (const entity of shop) await storage.write("Shop", { type: "insert", entity });
  const classes = guessClasses("Shop", shop);
  expect(await checkClasses(storage, classes, new AbortController().signal)).toEqual({
    read: 8,
    problem: undefined,
  });

  const Order = buildClass(classes[0] as ClassGuess);
  const query = new TableContext(storage).query(Order).where({ partitionKey: "c1", number: 2 } as never);
  expect(query.explain().rating).toMatch(/best|good/);
  expect(await query.toArray()).toMatchObject([{ total: 2.5, note: "n", number: 2 }]);
});

test("rows that the classes cannot read are a problem that is said", async () => {
  await using storage = await openStorage("memory:");
  await storage.createTable("Shop");
  for (const entity of shop) await storage.write("Shop", { type: "insert", entity });
  const classes = guessClasses("Shop", shop);
  await storage.write("Shop", {
    type: "insert",
    entity: row("c0", "order_x", { Type: "order", Total: "hunter2" }),
  });
  const { problem } = await checkClasses(storage, classes, new AbortController().signal);
  expect(problem).toContain("Order");
  expect(problem).not.toContain("hunter2");
});

test("values of properties are in no generated code", () => {
  const classes = guessClasses("Secrets", [
    row("p", "a", { Password: "hunter2" }),
    row("p", "b", { Password: "hunter2" }),
  ]);
  for (const form of ["define-entity", "decorators"] as const)
    expect(printModule(classes, form, "here")).not.toContain("hunter2");
});

test("names that JavaScript or the code itself uses are not taken for classes and properties", async () => {
  const rows = [row("p", "a", { ToString: "s", ValueOf: 1, Constructor: "c", Then: 2, then: 3, ToJSON: 4 })];
  await using storage = await openStorage("memory:");
  await storage.createTable("Dates");
  for (const entity of rows) await storage.write("Dates", { type: "insert", entity });
  const classes = guessClasses("Dates", rows);
  expect(classes[0]?.properties.map(({ property }) => property)).toEqual([
    "toStringValue",
    "valueOfValue",
    "constructorValue",
    "thenValue",
    "toJSONValue",
  ]);
  expect(classes[0]?.undeclared.map(({ storedName }) => storedName)).toEqual(["then"]);
  const { problem } = await checkClasses(storage, classes, new AbortController().signal);
  expect(problem).toBeUndefined();
  const names = ["Date", "Table", "Int32", "Uint8Array"];
  expect(names.map((table) => guessClasses(table, rows)[0]?.name)).toEqual(names.map((name) => `${name}Row`));
});

test("characters that turn the direction of text stand escaped in the code", () => {
  const classes = guessClasses("Turned", [row("p", "a\u202eb", { N: 1 }), row("q", "a\u202eb", { N: 2 })]);
  for (const form of ["define-entity", "decorators"] as const) {
    const code = printModule(classes, form, "here");
    expect(code).toContain(String.raw`constant("a\u202eb")`);
    expect(code).not.toContain("\u202e");
  }
});
