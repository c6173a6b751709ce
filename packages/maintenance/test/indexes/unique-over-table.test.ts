import { createTables, openStorage, type SaveError, TableContext, type TableStorage } from "@partita/core";
import { reservationKey } from "@partita/core/internal/jobs";
import type { StoredEntity } from "@partita/core/storage";
import { expect, test } from "vitest";
import { buildIndex, dropIndex, verifyIndex } from "../../src/index.ts";
import { allRows } from "./runners.ts";
import { OldUser, RetiredUser, User } from "./users.ts";

/** Users that an older release has stored: one of each country and number, with an address of its own. */
async function oldTable(count: number): Promise<TableStorage> {
  const storage = await openStorage("memory:");
  await createTables(storage, [OldUser]);
  for (let id = 0; id < count; id++) await storeOld(storage, countryOf(id), String(id), `${id}@example.org`);
  return storage;
}

const countryOf = (id: number): string => ["FR", "IS", "NO"][id % 3] as string;

async function storeOld(storage: TableStorage, country: string, id: string, email?: string): Promise<void> {
  const context = new TableContext(storage);
  context.upsert(new OldUser({ country, id, ...(email !== undefined && { email }) }), "replace");
  await context.saveChanges();
}

async function signUp(storage: TableStorage, country: string, id: string, email: string): Promise<string> {
  const context = new TableContext(storage);
  context.create(User, { country, id, email });
  return context.saveChanges().then(
    () => "saved",
    (error: unknown) => (error as SaveError).conflicts[0]?.error.code ?? String(error),
  );
}

const reservationsIn = (rows: readonly StoredEntity[]): string[] =>
  rows.filter(({ _row }) => _row === "reservation:email").map(({ RowKey }) => RowKey);

test("a build reserves the addresses of all users, and is ready afterwards", async () => {
  await using storage = await oldTable(100);

  const report = await buildIndex(storage, User, "email");

  expect(report).toMatchObject({ written: 100, isClean: true });
  expect(reservationsIn(await allRows(storage, "Users"))).toHaveLength(100);
  expect(await signUp(storage, "SE", "new", "7@example.org")).toBe("conflict.unique");
  expect(await verifyIndex(storage, User)).toMatchObject({ isClean: true, leftReservations: 0 });
  expect(await buildIndex(storage, User, "email")).toMatchObject({ written: 0, isClean: true });
});

test("a build beside writers leaves every address with one user", async () => {
  await using storage = await oldTable(60);
  const results: string[] = [];
  const writers = Array.from({ length: 60 }, async (_, id) => {
    await new Promise((resolve) => setTimeout(resolve, id % 7));
    results.push(await signUp(storage, "SE", String(id), `${id}@example.org`));
  });

  const [report] = await Promise.all([buildIndex(storage, User, "email"), ...writers]);

  // A writer may have been first, before the row of the older release had its reservation.
  const { duplicateCount } = report.verification;
  expect(results.filter((result) => result === "saved")).toHaveLength(duplicateCount);
  expect(results.every((result) => result === "saved" || result === "conflict.unique")).toBe(true);
});

test("users of several countries with one address are reported, and keep it", async () => {
  await using storage = await oldTable(3);
  await storeOld(storage, "SE", "x", "1@example.org");

  const { isClean, verification } = await buildIndex(storage, User, "email");

  expect(isClean).toBe(false);
  expect(verification.duplicates).toEqual([
    {
      index: "email",
      properties: ["email"],
      entities: expect.arrayContaining([
        { partitionKey: "IS", rowKey: "ID:1" },
        { partitionKey: "SE", rowKey: "ID:x" },
      ]) as unknown,
    },
  ]);
  await storeOld(storage, "SE", "x", "free@example.org");
  expect(await buildIndex(storage, User, "email")).toMatchObject({ isClean: true });
});

test("a repair reserves what other programs stored, and deletes what they left", async () => {
  await using storage = await oldTable(9);
  await buildIndex(storage, User, "email");
  // Programs that know nothing of the index change an address, delete a user, and store another one.
  await storeOld(storage, "FR", "0", "changed@example.org");
  await storage.write("Users", { type: "delete", key: { partitionKey: "IS", rowKey: "ID:1" }, etag: "*" });
  await storeOld(storage, "SE", "new", "new@example.org");
  await storage.write("Users", { type: "delete", key: reservationKey("MAIL:2@example.org"), etag: "*" });

  const found = await verifyIndex(storage, User);
  const repaired = await verifyIndex(storage, User, "email", { repair: true });

  expect(found).toMatchObject({ isClean: false, leftReservations: 2 });
  expect(found.differences.map(({ type, key }) => `${type} ${key.rowKey}`).toSorted()).toEqual(
    [
      // Of its partition, and of the table.
      "extra MAIL:0@example.org",
      "extra MAIL:1@example.org",
      "missing MAIL:2@example.org",
      "missing MAIL:changed@example.org",
      "missing MAIL:changed@example.org",
      "missing MAIL:new@example.org",
      "missing MAIL:new@example.org",
    ].toSorted(),
  );
  expect(repaired).toMatchObject({ isClean: true });
  expect(await verifyIndex(storage, User)).toMatchObject({ isClean: true, leftReservations: 0 });
  expect(await signUp(storage, "SE", "a", "new@example.org")).toBe("conflict.unique");
  expect(await signUp(storage, "SE", "b", "0@example.org")).toBe("saved");
});

test("dropping the index deletes its rows and its reservations", async () => {
  await using storage = await oldTable(30);
  await buildIndex(storage, User, "email");

  expect(await dropIndex(storage, RetiredUser, "email")).toMatchObject({ removed: 60, isClean: true });

  const rows = await allRows(storage, "Users");
  expect(rows.filter(({ _row }) => _row !== undefined && _row !== "marker")).toEqual([]);
});
