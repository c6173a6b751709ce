import { assertRequests } from "@partita/testing";
import { expect, test } from "vitest";
import {
  ConflictError,
  createTables,
  defineEntity,
  type EntityClass,
  int32,
  openStorage,
  type SaveError,
  TableContext,
  text,
} from "../../../src/index.ts";
import { constant } from "../../../src/keys.ts";
import { modelOf } from "../../../src/models.ts";
import { change, reservations, signUp, User, usersIn } from "./users.ts";

const conflictOf = async (work: Promise<unknown>): Promise<ConflictError> => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown as SaveError,
  );
  const [result] = error?.conflicts ?? [];
  if (!ConflictError.is(result?.error)) throw error ?? new Error("It was saved.");
  return result.error;
};

test("two users of different partitions cannot have one e-mail address", async () => {
  await using storage = await usersIn();
  await signUp(storage, "IS", "1", "ann@example.org");

  const error = await conflictOf(signUp(storage, "NO", "2", "ann@example.org"));

  expect(error).toMatchObject({
    code: "conflict.unique",
    unique: { index: "email", properties: ["email"] },
  });
  expect(error.message).not.toContain("ann@example.org");
  expect(await new TableContext(storage).query(User).scan().count()).toBe(1);
});

test("an address is free again once its user changes it, loses it or is removed", async () => {
  await using storage = await usersIn();
  for (const id of ["1", "2", "3"]) await signUp(storage, "IS", id, `${id}@example.org`);

  await change(storage, "IS", "1", (user) => void (user.email = "new@example.org"));
  await change(storage, "IS", "2", (user) => void delete user.email);
  await change(storage, "IS", "3", (user, context) => context.remove(user));

  for (const id of ["1", "2", "3"]) await signUp(storage, "NO", id, `${id}@example.org`);
  expect(Object.keys(await reservations(storage)).toSorted()).toEqual([
    "MAIL:1@example.org",
    "MAIL:2@example.org",
    "MAIL:3@example.org",
    "MAIL:new@example.org",
  ]);
});

test("an upsert, and a write over any version, claim their values too", async () => {
  await using storage = await usersIn();
  await signUp(storage, "IS", "1", "ann@example.org");
  await signUp(storage, "NO", "2");
  const context = new TableContext(storage);
  context.upsert(new User({ country: "NO", id: "2", email: "ann@example.org" }), "merge");

  expect((await conflictOf(context.saveChanges())).code).toBe("conflict.unique");

  const other = new TableContext(storage);
  const user = other.attach(new User({ country: "NO", id: "2" }), "*");
  user.email = "ann@example.org";
  expect((await conflictOf(other.saveChanges())).code).toBe("conflict.unique");
});

test("two users of one partition may exchange their addresses in one save", async () => {
  await using storage = await usersIn();
  for (const id of ["1", "2"]) await signUp(storage, "IS", id, `${id}@example.org`);
  const context = new TableContext(storage);
  const [first, second] = await context.query(User).where({ country: "IS" }).toArray();

  if (first !== undefined && second !== undefined) [first.email, second.email] = [second.email, first.email];
  await context.saveChanges();

  expect((await conflictOf(signUp(storage, "NO", "3", "1@example.org"))).code).toBe("conflict.unique");
  await change(storage, "IS", "1", (user) => void delete user.email);
  await signUp(storage, "NO", "3", "2@example.org");
});

test("many users are saved together, each with a claim of its own", async () => {
  await using storage = await usersIn();
  const context = new TableContext(storage);
  for (let i = 0; i < 150; i++)
    context.create(User, { country: i % 2 === 0 ? "IS" : "NO", id: String(i), email: `${i}@example.org` });

  await context.saveChanges();

  expect(Object.keys(await reservations(storage))).toHaveLength(150);
  expect((await conflictOf(signUp(storage, "FR", "x", "149@example.org"))).code).toBe("conflict.unique");
});

test("a save needs few more requests than one of a value that is unique in its partition", async () => {
  await using storage = await usersIn();
  const [get, write] = ["get Users", "write Users"];

  // The value, then the transaction of marker, user and index row.
  await expect(
    assertRequests([write, "transact Users 3"], () => signUp(storage, "IS", "1", "a@example.org")),
  ).resolves.toBeUndefined();
  await expect(
    assertRequests(["transact Users 2"], () => signUp(storage, "IS", "2")),
  ).resolves.toBeUndefined();
  // Refused: the reservation, and the user that it names.
  await expect(
    assertRequests([write, get, get], () =>
      signUp(storage, "NO", "3", "a@example.org").catch(() => undefined),
    ),
  ).resolves.toBeUndefined();
  const edit = (user: User): void => void (user.age = 5);
  await expect(
    assertRequests([get, "transact Users 2"], () => change(storage, "IS", "1", edit)),
  ).resolves.toBeUndefined();
  // The claim of the old value, the new value, the transaction, and the old reservation.
  await expect(
    assertRequests([get, get, write, "transact Users 4", get, write], () =>
      change(storage, "IS", "1", (user) => void (user.email = "b@example.org")),
    ),
  ).resolves.toBeUndefined();
  await expect(
    assertRequests([get, get, "transact Users 3", get, write], () =>
      change(storage, "IS", "1", (user, context) => context.remove(user)),
    ),
  ).resolves.toBeUndefined();
});

test("a reservation that a program left is replaced after its transaction is refused", async () => {
  await using storage = await usersIn();
  await signUp(storage, "IS", "1", "a@example.org");
  await storage.write("Users", { type: "delete", key: { partitionKey: "IS", rowKey: "ID:1" }, etag: "*" });
  const [get, write] = ["get Users", "write Users"];

  // Insert, read, look at the user, insert the marker of the other claim, look again, replace.
  await expect(
    assertRequests([write, get, get, write, get, write, "transact Users 3"], () =>
      signUp(storage, "NO", "2", "a@example.org"),
    ),
  ).resolves.toBeUndefined();
});

test("no query returns a reservation", async () => {
  await using storage = await usersIn();
  for (const [i, country] of ["IS", "NO", "~v"].entries())
    await signUp(storage, country, String(i), `${i}@example.org`);
  const users = new TableContext(storage).query(User).scan();

  const emails = async (query: { toArray(): Promise<User[]> }): Promise<unknown> =>
    (await query.toArray()).map(({ email }) => email);

  expect(await users.count()).toBe(3);
  const all = ["0@example.org", "1@example.org", "2@example.org"];
  expect(await emails(users)).toEqual(all);
  expect(await emails(users.via("email"))).toEqual(all);
  expect(await emails(users.via("email").where({ email: "1@example.org" }))).toEqual(["1@example.org"]);
  expect(await emails(users.where({ email: "1@example.org" }))).toEqual(["1@example.org"]);
});

test("a claimed value survives an update of the complete row, and a rollback of the change", async () => {
  await using storage = await usersIn();
  await signUp(storage, "IS", "1", "a@example.org");
  const context = new TableContext(storage);
  const user = await context.find(User, { country: "IS", id: "1" });
  Object.assign(user ?? {}, { age: 3 });
  await context.saveChanges({ update: "replace" });

  expect((await conflictOf(signUp(storage, "NO", "2", "a@example.org"))).code).toBe("conflict.unique");
  await change(storage, "IS", "1", (found, own) => own.remove(found));
  expect(await reservations(storage)).toEqual({});
});

test("a storage with reads that may be stale is refused before anything is stored", async () => {
  const credential = { accountName: "shop", accountKey: "c2VjcmV0" };
  const target = "https://shop.table.cosmos.azure.com";
  await using cosmos = await openStorage(target, { credential });
  await using strong = await openStorage(target, { credential, consistency: "strong" });

  await expect(createTables(cosmos, [User])).rejects.toMatchObject({ code: "storage.stale-reads" });
  const context = new TableContext(cosmos);
  context.create(User, { country: "IS", id: "1", email: "a@example.org" });
  await expect(context.saveChanges()).rejects.toMatchObject({
    results: [{ outcome: "rejected", error: { code: "storage.stale-reads" } }],
  });
  expect([cosmos.readsMayBeStale, strong.readsMayBeStale]).toEqual([true, false]);
});

test("a declaration that cannot hold is refused with its remedy", () => {
  const users = {
    table: "Users",
    partitionKey: { country: text() },
    rowKey: { id: constant("ID:", text()) },
    properties: { email: text() },
  } as const;
  const rowKey = { email: constant("MAIL:", text()) };
  const refusal = (declare: () => EntityClass): unknown => {
    try {
      modelOf(declare());
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  };

  expect(
    refusal(
      () => class A extends defineEntity({ ...users, indexes: { email: { rowKey, over: "table" } } }) {},
    ),
  ).toMatch(/Add unique: true/);
  expect(
    refusal(
      () =>
        class B extends defineEntity({
          ...users,
          proof: "content",
          indexes: { email: { rowKey, unique: true, over: "table" } },
        }) {},
    ),
  ).toMatch(/Leave proof out/);
});

test("unique values of a table cannot move to another table", async () => {
  await using storage = await usersIn();
  await storage.createTable("Members");
  class Moved extends defineEntity({
    table: "Members",
    partitionKey: { country: text() },
    rowKey: { id: constant("ID:", text()) },
    properties: { name: text().optional(), age: int32().optional(), email: text().optional() },
    formerKeys: User,
  }) {}

  await expect(new TableContext(storage).find(Moved, { country: "IS", id: "1" })).rejects.toMatchObject({
    code: "model.former-keys",
    message: expect.stringContaining("keep the table") as unknown,
  });
});
