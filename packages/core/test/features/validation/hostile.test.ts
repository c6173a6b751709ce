// Validators that get at what a program owns, by every way that is known.
import { expect, test } from "vitest";
import {
  defineEntity,
  type EntityValidator,
  json,
  standardSchema,
  TableContext,
  text,
  toPlain,
} from "../../../src/index.ts";
import type { StandardSchema } from "../../../src/models.ts";
import { constant, verbatim } from "../../../src/keys.ts";
import { accepting, contextWith, refusalOf, storageOf } from "./judged.ts";

class User extends defineEntity({
  table: "Users",
  partitionKey: { p: text() },
  rowKey: { r: constant("ID:", verbatim) },
  properties: {
    name: text(),
    email: text().optional(),
    tags: json<{ list: string[] }>().optional(),
  },
  indexes: { email: { rowKey: { email: constant("MAIL:", verbatim) }, unique: true } },
  undeclared: "ignore",
}) {}

const key = { p: "p", r: "1" };
const values = { ...key, name: "ann", email: "Ann@Example.org", tags: { list: ["a"] } };

async function seeded() {
  const storage = await storageOf(User);
  const context = new TableContext(storage);
  context.create(User, structuredClone(values));
  await context.saveChanges();
  return storage;
}

const snapshotValue: { list: string[] }[] = [];
/** What a validator does with its copy; what is saved is the program's edit, or nothing. */
const deeds: Readonly<Record<string, (copy: User & Record<string, unknown>) => unknown>> = {
  "changes its prototype": (copy) => Object.setPrototypeOf(copy, { name: "x" }),
  "freezes it": (copy) => Object.freeze(copy),
  "seals it and its values": (copy) => Object.freeze(Object.seal(copy).tags?.list),
  "makes a property an accessor": (copy) => Object.defineProperty(copy, "name", { get: () => "x" }),
  "makes a property that throws": (copy) =>
    Object.defineProperty(copy, "name", {
      get: () => {
        throw new Error("no name");
      },
    }),
  "assigns a cycle": (copy) => Object.assign(copy.tags as object, { self: copy.tags }),
  "assigns what cannot be stored": (copy) => ((copy as Record<string, unknown>)["name"] = () => 1),
  "throws after an edit": (copy) => {
    copy.name = "x";
    throw new Error("odd");
  },
  "rejects after an edit": async (copy) => {
    copy.name = "x";
    await Promise.reject(new Error("odd"));
  },
  "adds an entity of its own": (copy) => (copy["friend"] = new User({ ...values, r: "2" })),
  "swaps the lists of two copies": (copy) => {
    snapshotValue.push(copy.tags as { list: string[] });
    copy.tags = snapshotValue[0] as never;
    snapshotValue[0]?.list.push("x");
  },
};
const cells = Object.entries(deeds).flatMap(([what, deed]) =>
  [false, true].map((applyTransforms) => ({ what, deed, applyTransforms })),
);

test.each(cells)(
  "a validator that $what damages nothing, applyTransforms: $applyTransforms",
  async (cell) => {
    const { deed, applyTransforms } = cell;
    const storage = await seeded();
    const context = contextWith(storage, Object.assign(accepting(deed as never), { applyTransforms }));
    const user = (await context.find(User, key)) as User;
    user.name = "bob";

    const error = await refusalOf(context);

    const row = await new TableContext(storage).find(User, key);
    const isSaved = error === undefined;
    const isEdited = isSaved && applyTransforms;
    // Whatever it did: the row has what it had, what the program assigned, or what was taken over whole.
    expect(toPlain(row as User)).toEqual(
      isEdited ? toPlain(user) : { ...values, name: isSaved ? "bob" : "ann" },
    );
    expect(user).toBeInstanceOf(User);
    expect(Object.isFrozen(user)).toBe(false);
    expect(applyTransforms || user.name === "bob").toBe(true);
  },
);

test("the entity that a validator finds in its context is the program's, and its edits are judged", async () => {
  const storage = await seeded();
  const seen: unknown[] = [];
  const validate: EntityValidator = async (copy) => {
    seen.push((copy as User).name);
    const found = (await context.find(User, key)) as User;
    if (seen.length === 1) found.name = "found";
    return [];
  };
  const context: TableContext = contextWith(storage, validate);
  ((await context.find(User, key)) as User).name = "bob";

  await context.saveChanges();

  expect(seen).toEqual(["bob", "found"]);
});

test("rows in indexes follow the edits of validators", async () => {
  const storage = await seeded();
  const lower = Object.assign(
    accepting((user: User) => (user.email = user.email?.toLowerCase())),
    { applyTransforms: true },
  );
  const context = contextWith(storage, lower);
  ((await context.find(User, key)) as User).name = "bob";
  context.create(User, { ...values, r: "2", email: "BO@example.org" });

  await context.saveChanges();

  const keys = (await storage.query("Users", {})).entities.map(({ RowKey }) => RowKey);
  expect(keys).toEqual(["ID:1", "ID:2", "MAIL:ann@example.org", "MAIL:bo@example.org"]);
});

test("updateAll() and modify() validate copies, too", async () => {
  const storage = await seeded();
  const context = contextWith(
    storage,
    accepting((user: User) => (user.name = "edited")),
  );

  await expect(
    context
      .query(User)
      .where({ p: "p" })
      .updateAll((user) => void (user.name = "bob")),
  ).rejects.toThrow(/was changed by a validator: name/);
  await expect(context.modify(User, key, (user) => void (user.name = "bob"))).rejects.toThrow(
    /was changed by a validator: name/,
  );
  expect((await new TableContext(storage).find(User, key))?.name).toBe("ann");
});

test("a schema's output is copied, and never names a prototype", async () => {
  const shared = { list: ["shared"] };
  const output = JSON.parse('{"__proto__":{"name":"x"},"name":"made"}') as Record<string, unknown>;
  const schema = {
    "~standard": { version: 1, vendor: "test", validate: () => ({ value: { ...output, tags: shared } }) },
  } as unknown as StandardSchema<User>;
  const storage = await seeded();
  const context = contextWith(storage, standardSchema(User, schema, { applyTransforms: true }));
  const user = (await context.find(User, key)) as User;
  user.email = "b@example.org";

  await context.saveChanges();
  shared.list.push("late");

  expect(Object.getPrototypeOf(user)).toBe(User.prototype);
  expect(toPlain(user)).toMatchObject({ name: "made", tags: { list: ["shared"] } });
  expect(context.pendingChanges()).toEqual([]);
});
