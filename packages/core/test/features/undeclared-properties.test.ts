import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  type ContextOptions,
  createTables,
  defineEntity,
  defineKind,
  openStorage,
  type SaveError,
  TableContext,
  text,
} from "../../src/index.ts";

const declaration = {
  table: "Notes",
  partitionKey: { p: text() },
  rowKey: { r: text() },
  properties: { title: text().optional() },
} as const;

const newClass = (more: { undeclared?: "error" | "ignore"; notStored?: readonly string[] } = {}) =>
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

test("a value that no property declares refuses the save, naming row, property and every remedy", async () => {
  const Note = newClass();
  const context = await contextFor(Note);
  const note = context.create(Note, { p: "p", r: "1" });
  note.colour = "a secret red";

  const failure = await context.saveChanges().catch((error: SaveError) => error);

  expect(failure).toMatchObject({
    code: "save.invalid",
    message: expect.stringMatching(
      /Note in Notes \("p", "1"\) has colour,.*not be stored.*@NotStored\(\).*notStored.*undeclared be "ignore"/,
    ) as string,
    results: [
      {
        error: {
          code: "entity.undeclared",
          details: { entity: "Note", table: "Notes", partitionKey: "p", rowKey: "1", properties: ["colour"] },
        },
      },
    ],
  });
  expect((failure as SaveError).message).not.toContain("secret");
  note.colour = undefined as never;
  expect(await context.saveChanges()).toMatchObject([{ outcome: "committed" }]);
});

test("a value that create() brings and a changed entity has counts too", async () => {
  const Note = newClass();
  const context = await contextFor(Note);

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
      results: [{ error: { code: "entity.undeclared", details: { properties: [name] } } }],
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
  class Parent extends defineKind(Base, { kind: "Parent", children: { children: () => Child } }) {}
  const storage = await openStorage("memory:");
  await createTables(storage, [Base, Parent, Child]);
  const context = new TableContext(storage);
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
    const context = await contextFor(Note);
    const note = context.create(Note, { p: "p", r: "1" });
    note.cache = {};
    Object.assign(note, { colour: undefined, other: null, print: () => "x" });
    await context.saveChanges();
    note.colour = "red";
    context.remove(note);

    expect(await context.saveChanges()).toMatchObject([{ outcome: "committed" }]);
  });

  test("where the class or the context ignores it; what the class says takes precedence", async () => {
    const policies = [undefined, "error", "ignore"] as const;
    let cells = 0;
    for (const ofClass of policies)
      for (const ofContext of policies) {
        cells++;
        const Note = newClass(ofClass && { undeclared: ofClass });
        const context = await contextFor(Note, { undeclared: ofContext });
        context.create(Note, { p: "p", r: "1" }).colour = "red";
        const outcome = await context.saveChanges().then(
          ([result]) => result?.outcome,
          ({ code }: SaveError) => code,
        );

        expect(outcome).toBe((ofClass ?? ofContext) === "ignore" ? "committed" : "save.invalid");
      }
    expect(cells).toBe(9);
  });
});

test("only a warning depends on NODE_ENV", () => {
  const packages = join(import.meta.dirname, "../../..");
  const sources = readdirSync(packages).flatMap((name) =>
    readdirSync(join(packages, name, "src"), { recursive: true, encoding: "utf8" })
      .filter((path) => /\.tsx?$/.test(path))
      .map((path) => join(packages, name, "src", path)),
  );

  expect(sources.length).toBeGreaterThan(500);
  const dependent = sources.filter((path) => readFileSync(path, "utf8").includes("NODE_ENV"));
  expect(dependent.map((path) => basename(path))).toEqual(["unsaved-changes.ts"]);
});

test("an option that is none is refused", async () => {
  const storage = await openStorage("memory:");

  expect(() => new TableContext(storage, { undeclared: "warn" as never })).toThrow(/undeclared/);
  await expect(createTables(storage, [newClass({ undeclared: "warn" as never })])).rejects.toThrow(
    /undeclared/,
  );
});

test("a value that a constructor is given under a name nobody declared counts too", async () => {
  const Note = newClass();
  const context = await contextFor(Note);
  const values = { p: "p", r: "1", titel: "x" };

  context.add(new Note(values));

  await expect(context.saveChanges()).rejects.toMatchObject({
    message: expect.stringContaining("has titel") as string,
  });
});
