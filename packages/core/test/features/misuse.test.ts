import { isOverPostgres } from "@partita/test-support/postgres";
import { expect, test } from "vitest";
import {
  createTables,
  defineEntity,
  defineKind,
  json,
  openStorage,
  type SaveError,
  TableContext,
  text,
} from "../../src/index.ts";
import { modelOf } from "../../src/models.ts";
import { newestFirst } from "../../src/keys.ts";

const keys = { table: "Things", partitionKey: { tenant: text() }, rowKey: { id: text() } } as const;

class Thing extends defineEntity({ ...keys, properties: { name: text() } }) {}

const failure = async (action: () => unknown): Promise<{ code: string; message: string }> => {
  try {
    await action();
  } catch (error) {
    return error as { code: string; message: string };
  }
  throw new Error("expected a failure");
};

test("a misspelt setting is refused, naming those that exist", async () => {
  class Base extends defineEntity({ ...keys, properties: {} }) {}

  expect(
    await failure(() => defineEntity({ ...keys, properties: {}, seperator: "|" } as never)),
  ).toMatchObject({
    code: "model.unknown-setting",
    message: expect.stringMatching(/"seperator".*separator/) as string,
  });
  expect(await failure(() => defineKind(Base, { kind: "K", key: "prefix" } as never))).toMatchObject({
    code: "model.unknown-setting",
    message: expect.stringMatching(/kind: \{ name, key: "prefix" \}/) as string,
  });
});

test("misspelt options and choices are refused", async () => {
  await using storage = await openStorage("memory:");
  await createTables(storage, [Thing]);
  const context = new TableContext(storage);

  for (const [code, attempt] of [
    ["context.option", () => new TableContext(storage, { mergeOption: "notracking" } as never)],
    ["context.option", () => new TableContext(storage, { merge: "noTracking" } as never)],
    ["context.option", () => context.saveChanges({ bacth: "atomic" } as never)],
    ["query.option", () => context.query(Thing).mergeOption("overwrite" as never)],
    [
      "context.option",
      () => context.upsert(new Thing({ tenant: "t", id: "1", name: "n" }), undefined as never),
    ],
  ] as const)
    expect(await failure(attempt)).toMatchObject({ name: "OptionError", code });
});

test("a forgotten await and a forgotten list are told", async () => {
  await using storage = await openStorage("memory:");

  expect(await failure(() => new TableContext(openStorage("memory:") as never))).toMatchObject({
    code: "context.storage",
  });
  expect(await failure(() => createTables(storage, Thing as never))).toMatchObject({
    code: "model.no-class",
    message: expect.stringMatching(/\[Blog, Comment\]/) as string,
  });
  expect(
    await failure(() =>
      new TableContext(storage)
        .query(Thing)
        .where({ tenant: "t" })
        .page(undefined as never),
    ),
  ).toMatchObject({ code: "query.option" });
});

test("createTables says what it got in place of a list and of a storage", async () => {
  await using storage = await openStorage("memory:");

  expect(await failure(() => createTables(storage, Thing as never))).toMatchObject({
    message: expect.stringMatching(/but got the class Thing as its second argument/) as string,
  });
  expect(await failure(() => createTables([Thing] as never, undefined as never))).toMatchObject({
    code: "model.no-class",
  });
  expect(await failure(() => createTables(openStorage("memory:") as never, [Thing]))).toMatchObject({
    code: "context.storage",
    message: expect.stringMatching(/await openStorage/) as string,
  });
  // A policy that is none would be repeated for ever.
  expect(await failure(() => createTables(storage, [Thing], { retry: false as never }))).toMatchObject({
    code: "context.option",
  });
});

test("an instance in place of a class, and a class in place of an instance, are told apart", async () => {
  await using storage = await openStorage("memory:");
  const context = new TableContext(storage);
  const thing = new Thing({ tenant: "t", id: "1", name: "n" });
  const cases: [() => unknown, RegExp][] = [
    [
      () => context.query(thing as never),
      /an instance of Thing\. Pass the class itself: Thing, not new Thing\(\)/,
    ],
    [() => context.find(thing as never, {} as never), /Pass the class itself/],
    [() => context.query(undefined as never), /got undefined\. If the class is imported/],
    [() => createTables(storage, [undefined as never]), /two files may import each other/],
    [() => context.add(Thing as object), /the class Thing itself\. Pass an instance: new Thing/],
    [() => context.add({ tenant: "t", id: "1" }), /an object without a class\. Call create\(Class, values\)/],
    [() => context.add([thing]), /an array\. Pass the entities one by one/],
    [() => context.add(Promise.resolve(thing)), /a promise\. Write await/],
    [() => context.remove(undefined as never), /undefined\. find\(\) and first\(\) return undefined/],
  ];

  for (const [attempt, message] of cases) {
    const error = await failure(attempt);
    expect(error.code).toBe("model.not-an-entity");
    expect(error.message).toMatch(message);
  }
});

test("a key that is no object is refused, showing the key that is needed, and no value", async () => {
  await using storage = await openStorage("memory:");
  await createTables(storage, [Thing]);
  const context = new TableContext(storage);
  const loose = context as unknown as Record<string, (...args: unknown[]) => unknown>;
  const calls: [string, unknown[]][] = [
    ["find", [Thing, "secret", "1"]],
    ["find", [Thing, "secret"]],
    ["find", [Thing]],
    ["find", [Thing, null]],
    ["find", [Thing, ["secret", "1"]]],
    ["findMany", [Thing, { tenant: "secret", id: "1" }]],
    ["findMany", [Thing, ["secret"]]],
    ["removeByKey", [Thing, "secret", "1"]],
    ["modify", [Thing, "secret", () => undefined]],
    ["create", [Thing]],
  ];

  for (const [method, args] of calls) {
    const error = await failure(() => loose[method]?.call(context, ...args));
    expect(error).toMatchObject({ name: "KeyError", code: "key.not-an-object" });
    expect(error.message).toMatch(new RegExp(`^${method}\\(.*Its key is \\{ tenant: …, id: … \\}`));
    expect(error.message).not.toContain("secret");
  }
  expect(await failure(() => loose["modify"]?.call(context, Thing, { tenant: "t", id: "1" }))).toMatchObject({
    code: "context.option",
    message: expect.stringMatching(/takes a function/) as string,
  });
});

test("a misspelt option names the one that is meant, and an option that is no object is refused", async () => {
  await using storage = await openStorage("memory:");
  const context = new TableContext(storage);

  expect(await failure(() => new TableContext(storage, { mergOption: "noTracking" } as never))).toMatchObject(
    {
      message: expect.stringMatching(/does not know "mergOption"\. Did you mean mergeOption\?/) as string,
    },
  );
  expect(await failure(() => context.saveChanges(true as never))).toMatchObject({
    code: "context.option",
    message: expect.stringMatching(/as an object, but got a boolean/) as string,
  });
});

test.skipIf(isOverPostgres)("a table that was not created is named, with what creates it", async () => {
  await using storage = await openStorage("memory:");
  const context = new TableContext(storage);

  expect(await failure(() => context.find(Thing, { tenant: "t", id: "1" }))).toMatchObject({
    code: "storage.table-not-found",
    message: expect.stringMatching(/createTables\(storage, \[YourClass\]\).*\(Things\)/) as string,
  });
});

test("a class without a kind beside its own base is refused", async () => {
  class Base extends defineEntity({ ...keys, properties: {} }) {}
  class Below extends Base {}
  await using storage = await openStorage("memory:");

  expect(await failure(() => createTables(storage, [Base, Below]))).toMatchObject({ code: "model.no-kind" });
});

test("a class without a RowKey is refused when its table is created", async () => {
  class Keyless extends defineEntity({
    table: "Things",
    partitionKey: { tenant: text() },
    rowKey: {},
    properties: {},
  }) {}
  await using storage = await openStorage("memory:");

  expect(await failure(() => createTables(storage, [Keyless]))).toMatchObject({ code: "model.key-missing" });
});

test("a key part has no stored name, and another type needs a format", async () => {
  const named = defineEntity({ ...keys, partitionKey: { tenant: text().named("Tenant") }, properties: {} });
  // @ts-expect-error JSON is no key part
  const typed = defineEntity({ ...keys, rowKey: { id: json<string>() }, properties: {} });

  for (const entity of [named, typed])
    expect(await failure(() => modelOf(entity))).toMatchObject({
      code: "model.key-format",
      message: expect.stringMatching(
        /Leave \.named\(…\) out|convert it to text and write text\(\)/,
      ) as string,
    });
});

test("the remedies that conflicts name work", async () => {
  await using storage = await openStorage("memory:");
  await createTables(storage, [Thing]);
  const [mine, theirs] = [new TableContext(storage), new TableContext(storage)];
  const thing = mine.create(Thing, { tenant: "t", id: "1", name: "a" });
  await mine.saveChanges();
  const other = (await theirs.find(Thing, { tenant: "t", id: "1" })) as Thing;
  other.name = "b";
  await theirs.saveChanges();
  thing.name = "c";

  const changed = (await failure(() => mine.saveChanges())) as SaveError;
  expect(changed.message).toMatch(/resolveConflict\(entity, "mine" or "theirs"/);
  await mine.resolveConflict(thing, "mine");
  await mine.saveChanges();
  const again = thing;

  theirs.detach(other);
  theirs.remove((await theirs.find(Thing, { tenant: "t", id: "1" })) as Thing);
  await theirs.saveChanges();
  again.name = "d";
  const removed = (await failure(() => mine.saveChanges())) as SaveError;
  expect(removed.message).toMatch(/no entity with this key is stored/);
  await mine.resolveConflict(again, "mine");
  expect(await mine.saveChanges()).toMatchObject([{ operation: "insert", outcome: "committed" }]);
});

test("a base class narrows by its own RowKey parts where its kinds keep them first", async () => {
  class Entry extends defineEntity({
    table: "Log",
    partitionKey: { tenant: text() },
    rowKey: { at: newestFirst },
    properties: {},
  }) {}
  class Login extends defineKind(Entry, { kind: "Login", rowKey: { user: text() } }) {}
  class Change extends defineKind(Entry, { kind: "Change", rowKey: { user: text(), field: text() } }) {}
  await using storage = await openStorage("memory:");
  await createTables(storage, [Entry, Login, Change]);
  const context = new TableContext(storage);
  for (let n = 0; n < 10; n++) {
    context.create(Login, { tenant: "t", at: new Date(n), user: "u" });
    context.create(Change, { tenant: "t", at: new Date(n), user: "u", field: "f" });
  }
  await context.saveChanges();

  const query = context.query(Entry).where((e) => [e.tenant.eq("t"), e.at.between(new Date(3), new Date(5))]);

  expect(query.explain()).toMatchObject({ type: "row range scan", requests: [{ isChecked: false }] });
  expect((await query.toArray()).map((entry) => entry.at.getTime())).toEqual([5, 5, 4, 4, 3, 3]);
});
