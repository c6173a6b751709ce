import { afterEach, describe, expect, test } from "vitest";
import {
  type Children,
  type ContextOptions,
  createTables,
  defineEntity,
  defineKind,
  openStorage,
  type SaveError,
  TableContext,
  text,
} from "../../src/index.ts";
import { warningsDuring } from "../support/warnings.ts";

const declaration = {
  table: "Notes",
  partitionKey: { p: text() },
  rowKey: { r: text() },
  properties: { title: text().optional() },
} as const;

/** A class of its own for each test: a class is warned of once. */
const newClass = (more: { undeclared?: "error" | "warn" | "ignore"; notStored?: readonly string[] } = {}) =>
  class Note extends defineEntity({ ...declaration, ...more }) {
    declare colour?: string;
    declare cache?: object;
  };

async function contextFor(
  entityClass: ReturnType<typeof newClass>,
  options: ContextOptions = {},
): Promise<TableContext> {
  const storage = await openStorage("memory:");
  await createTables(storage, [entityClass]);
  return new TableContext(storage, options);
}

const { NODE_ENV } = process.env;
afterEach(() => {
  process.env["NODE_ENV"] = NODE_ENV;
});

test("a value that no property declares is warned of once a class, naming row, property and remedy", async () => {
  const Note = newClass();
  const context = await contextFor(Note);
  const note = context.create(Note, { p: "p", r: "1" });
  note.colour = "a secret red";
  Object.assign(context.create(Note, { p: "p", r: "2" }), { colour: "blue" });

  const warnings = await warningsDuring(() => context.saveChanges());

  expect(warnings).toMatchObject([{ code: "PARTITA_UNDECLARED" }]);
  expect(warnings[0]?.message).toMatch(/Note in Notes \("p", "1"\) has colour,.*not stored.*notStored/);
  expect(warnings[0]?.message).not.toContain("secret");
});

test("a value that create() brings and a changed entity has counts too", async () => {
  const Note = newClass();
  const context = await contextFor(Note, { undeclared: "error" });

  context.create(Note, { p: "p", r: "1", titel: "x" } as never);
  const created = await context.saveChanges().catch((error: SaveError) => error);
  context.clear({ discard: true });
  const note = context.create(Note, { p: "p", r: "2" });
  await context.saveChanges();
  note.title = "changed";
  note.colour = "red";
  const changed = await context.saveChanges().catch((error: SaveError) => error);

  for (const [failure, name] of [
    [created, "titel"],
    [changed, "colour"],
  ] as const)
    expect(failure).toMatchObject({
      code: "save.invalid",
      results: [{ error: { code: "entity.undeclared-property", details: { properties: [name] } } }],
    });
});

test("children that are only put into their parent's list are missed, whether the parent is saved or not", async () => {
  class Base extends defineEntity({
    table: "Families",
    partitionKey: { p: text() },
    rowKey: { r: text() },
    properties: {},
  }) {}
  class Child extends defineKind(Base, { kind: "Child", rowKey: { n: text() } }) {}
  class Parent extends defineKind(Base, { kind: "Parent", children: { children: () => Child } }) {
    declare children?: Children<Child>;
  }
  const storage = await openStorage("memory:");
  await createTables(storage, [Base, Parent, Child]);
  const context = new TableContext(storage, { undeclared: "error" });
  const parent = context.create(Parent, { p: "p", r: "1" });
  context.create(Child, { p: "p", r: "1", n: "a" });
  await context.saveChanges();
  await context
    .query(Parent)
    .where({ p: "p" })
    .include((e) => e.children)
    .toArray();
  expect(await context.saveChanges()).toEqual([]);

  const added = new Child({ p: "p", r: "1", n: "b" });
  (parent.children as unknown as Child[]).push(added);

  await expect(context.saveChanges()).rejects.toMatchObject({
    code: "save.invalid",
    message: expect.stringMatching(
      /has entities in children that this context does not track.*add\(\)/,
    ) as string,
  });
  context.add(added);
  expect(await context.saveChanges()).toMatchObject([{ operation: "insert", outcome: "committed" }]);
});

describe("nothing is said", () => {
  test("of what is marked as not stored, of methods, of what has no value, and of removals", async () => {
    const Note = newClass({ notStored: ["cache"] });
    const context = await contextFor(Note, { undeclared: "error" });
    const note = context.create(Note, { p: "p", r: "1" });
    note.cache = {};
    Object.assign(note, { colour: undefined, other: null, print: () => "x" });
    await context.saveChanges();
    note.colour = "red";
    context.remove(note);

    expect(await context.saveChanges()).toMatchObject([{ outcome: "committed" }]);
  });

  test("where the class or the context ignores it, and in production", async () => {
    const ignoring = newClass({ undeclared: "ignore" });
    const plain = newClass();
    const warnings = await warningsDuring(async () => {
      for (const [entityClass, options, env] of [
        [ignoring, { undeclared: "error" }, "test"],
        [plain, { undeclared: "ignore" }, "test"],
        [plain, {}, "production"],
      ] as const) {
        process.env["NODE_ENV"] = env;
        const context = await contextFor(entityClass, options);
        context.create(entityClass, { p: "p", r: "1" }).colour = "red";
        await context.saveChanges();
      }
    });

    expect(warnings).toEqual([]);
  });
});

test("an option that is none is refused", async () => {
  const storage = await openStorage("memory:");

  expect(() => new TableContext(storage, { undeclared: "log" as never })).toThrow(/undeclared/);
  await expect(createTables(storage, [newClass({ undeclared: "log" as never })])).rejects.toThrow(
    /undeclared/,
  );
});

test("a value that a constructor is given under a name nobody declared counts too", async () => {
  const Note = newClass();
  const context = await contextFor(Note, { undeclared: "error" });
  const values = { p: "p", r: "1", titel: "x" };

  context.add(new Note(values));

  await expect(context.saveChanges()).rejects.toMatchObject({
    message: expect.stringContaining("has titel") as string,
  });
});
