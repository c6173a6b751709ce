import { expect, test } from "vitest";
import {
  createTables,
  defineEntity,
  type EntityClass,
  openStorage,
  TableContext,
  type TableStorage,
  text,
} from "../../../src/index.ts";
import { constant } from "../../../src/keys.ts";
import { reservationKey } from "../../../src/model/codec/reservation-rows.ts";
import { rename, upgrades } from "../../../src/upgrades.ts";
import { codeOf, signUp, User, usersIn } from "./users.ts";

/* The rows that a claim meets: of other classes, of newer releases, and those that no class of the table writes. */

const keys = {
  table: "Users",
  partitionKey: { country: text() },
  rowKey: { id: constant("ID:", text()) },
} as const;
const prefixed = constant("MAIL:", text());
const oldShape = { email: text().optional() };
const newShape = { mail: text().optional() };
const newVersion = upgrades(oldShape).to(2, rename("email", "mail"));

const unique = { unique: true, over: "table" } as const;
class OldUser extends defineEntity({
  ...keys,
  version: 1,
  properties: oldShape,
  indexes: { email: { rowKey: { email: prefixed }, ...unique } },
}) {}
class NewUser extends defineEntity({
  ...keys,
  version: newVersion,
  properties: newShape,
  indexes: { email: { rowKey: { mail: prefixed }, ...unique } },
}) {}
class OldMember extends defineEntity({
  ...keys,
  version: 1,
  properties: oldShape,
  indexes: { email: { rowKey: { email: prefixed }, unique: true } },
}) {}
class NewMember extends defineEntity({
  ...keys,
  version: newVersion,
  properties: newShape,
  indexes: { email: { rowKey: { mail: prefixed }, unique: true } },
}) {}

async function store(storage: TableStorage, entityClass: EntityClass, values: object): Promise<unknown> {
  const context = new TableContext(storage);
  context.create(entityClass, values as never);
  return codeOf(context.saveChanges());
}

test.each([
  ["over the table", OldUser, NewUser, "NO"],
  ["in a partition", OldMember, NewMember, "IS"],
] as const)(
  "a value %s that a newer release stored under another name is not given to a second entity",
  async (_, oldClass, newClass, country) => {
    await using storage = await openStorage("memory:");
    await createTables(storage, [newClass]);
    await store(storage, newClass, { country: "IS", id: "1", mail: "ann@example.org" });

    expect(await store(storage, oldClass, { country, id: "2", email: "ann@example.org" })).toBe(
      "conflict.unique",
    );
  },
);

test("a value is claimed although the transaction begins with an entity of a class without markers", async () => {
  class Customer extends defineEntity({
    ...keys,
    kind: "customer",
    properties: { email: text() },
    indexes: { email: { rowKey: { email: prefixed }, ...unique } },
  }) {}
  class Note extends defineEntity({
    ...keys,
    rowKey: { id: constant("NOTE:", text()) },
    kind: "note",
    properties: {},
  }) {}
  await using storage = await openStorage("memory:");
  await createTables(storage, [Customer]);
  const context = new TableContext(storage);
  context.create(Note, { country: "IS", id: "1" });
  context.create(Customer, { country: "IS", id: "1", email: "ann@example.org" });

  await context.saveChanges();

  const { entities } = await storage.query("Users", {});
  const claims = entities.flatMap(({ Claim, _u }) => Claim ?? _u ?? []);
  expect(claims).toHaveLength(2);
  for (const claim of claims)
    expect(entities).toContainEqual(
      expect.objectContaining({ PartitionKey: "IS", RowKey: claim, State: "written" }),
    );
});

test("an entity cannot have the partition of reservations, where its index row would replace one", async () => {
  await using storage = await usersIn();
  const { partitionKey } = reservationKey("MAIL:ann@example.org");
  const context = new TableContext(storage);

  expect(() => context.create(User, { country: partitionKey, id: "1", email: "ann@example.org" })).toThrow(
    expect.objectContaining({ code: "key.reserved" }) as Error,
  );
});

test("a foreign row under the key of a reservation is reported, and stays", async () => {
  await using storage = await usersIn();
  const { partitionKey, rowKey } = reservationKey("MAIL:ann@example.org");
  const foreign = { PartitionKey: partitionKey, RowKey: rowKey, Note: "of another program" };
  await storage.write("Users", { type: "insert", entity: foreign });

  expect(await codeOf(signUp(storage, "IS", "1", "ann@example.org"))).toBe("key.reserved");
  expect(await storage.get("Users", { partitionKey, rowKey })).toMatchObject(foreign);
  expect(await codeOf(signUp(storage, "IS", "1", "lee@example.org"))).toBe("saved");
});

test("a reservation that cannot be read is replaced", async () => {
  await using storage = await usersIn();
  await signUp(storage, "IS", "1", "ann@example.org");
  await storage.write("Users", { type: "delete", key: { partitionKey: "IS", rowKey: "ID:1" }, etag: "*" });
  const { partitionKey, rowKey } = reservationKey("MAIL:ann@example.org");
  const broken = { PartitionKey: partitionKey, RowKey: rowKey, Holders: "?" };
  await storage.write("Users", { type: "merge", entity: broken, etag: "*" });

  expect(await codeOf(signUp(storage, "NO", "2", "ann@example.org"))).toBe("saved");
});
