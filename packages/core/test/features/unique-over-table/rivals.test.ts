import { expect, test } from "vitest";
import {
  createTables,
  defineEntity,
  openStorage,
  TableContext,
  type TableStorage,
  text,
} from "../../../src/index.ts";
import { forwardStorage, markerRow, sendWith } from "../../../src/internal.ts";
import { constant } from "../../../src/keys.ts";
import { reservationKey, reservationRow } from "../../../src/model/codec/reservation-rows.ts";
import type { WriteOperation } from "../../../src/storage.ts";
import { MovedValues } from "../../../src/work/claims/move-values.ts";
import { change, codeOf, reservations, signUp, User, usersIn } from "./users.ts";

/* Rivals that act between two requests of a save. */

class Customer extends defineEntity({
  table: "Customers",
  partitionKey: { country: text() },
  rowKey: { id: constant("ID:", text()) },
  properties: { email: text() },
  outbox: true,
  indexes: { email: { rowKey: { email: constant("MAIL:", text()) }, unique: true, over: "table" } },
}) {}

/** The same storage, with a rival who acts before each write. */
function withRival(
  storage: TableStorage,
  act: (operations: readonly WriteOperation[]) => void | Promise<void>,
): TableStorage {
  return forwardStorage(storage, {
    async write(table, operation, options) {
      await act([operation]);
      return storage.write(table, operation, options);
    },
    async transact(table, operations, options) {
      await act(operations);
      return storage.transact(table, operations, options);
    },
  });
}

/** Inserts the marker of a transaction that is about to be sent. */
async function refuse(
  storage: TableStorage,
  table: string,
  [first]: readonly WriteOperation[],
): Promise<void> {
  if (first === undefined || !("entity" in first)) throw new Error("It is no transaction with a marker.");
  const { PartitionKey: partitionKey, RowKey: rowKey } = first.entity;
  const entity = markerRow({ partitionKey, rowKey }, "closed");
  await storage.write(table, { type: "insert", entity });
}

/** Saves a customer with a message, which serves as the marker of the transaction. */
function orderMail(storage: TableStorage, country: string): Promise<unknown> {
  const context = new TableContext(storage);
  const customer = context.create(Customer, { country, id: "1", email: "ann@example.org" });
  sendWith(context, customer, {
    properties: {},
    bytes: 10,
    announce: () => Promise.resolve({ properties: {}, end: () => Promise.resolve() }),
  });
  return codeOf(context.saveChanges());
}

test("an address is not given away while the message of its save is handled and deleted", async () => {
  await using storage = await openStorage("memory:");
  await createTables(storage, [Customer]);
  const started = Promise.withResolvers<void>();
  const mayCommit = Promise.withResolvers<void>();
  const slow = withRival(storage, async ({ length }) => {
    if (length === 1) return;
    started.resolve();
    await mayCommit.promise;
  });
  const first = orderMail(slow, "IS");
  await started.promise;
  // After it has seen no customer, and before it refuses the transaction.
  const second = withRival(storage, async ([operation]) => {
    if (operation?.type !== "insert" || operation.entity["_row"] !== "marker") return;
    mayCommit.resolve();
    await first;
    const { entities } = await storage.query("Customers", {});
    for (const { PartitionKey: partitionKey, RowKey: rowKey, _row } of entities)
      if (_row === "outbox")
        await storage.write("Customers", { type: "delete", key: { partitionKey, rowKey }, etag: "*" });
  });

  expect(await orderMail(second, "NO")).toBe("conflict.unique");
  expect(await first).toBe("saved");
});

test("an upsert is computed again if its row changes after a rival has refused it", async () => {
  await using storage = await usersIn();
  await signUp(storage, "IS", "1");
  let transactions = 0;
  const rival = withRival(storage, async (operations) => {
    if (operations.length === 1) return;
    if (++transactions === 1) await refuse(storage, "Users", operations);
    if (transactions === 2) await change(storage, "IS", "1", (user) => void (user.name = "Ann"));
  });
  const context = new TableContext(rival);
  context.upsert(new User({ country: "IS", id: "1", email: "ann@example.org" }), "merge");

  await context.saveChanges();

  const stored = await new TableContext(storage).find(User, { country: "IS", id: "1" });
  expect(stored).toMatchObject({ name: "Ann", email: "ann@example.org" });
});

test("an error of the storage before the transaction is reported as one of the storage", async () => {
  await using storage = await usersIn();
  await signUp(storage, "IS", "1", "ann@example.org");
  const broken = forwardStorage(storage, {
    get: () => Promise.reject(new TypeError("The socket is closed.")),
  });
  const context = new TableContext(broken);
  context.create(User, { country: "NO", id: "2", email: "ann@example.org" });

  expect(await codeOf(context.saveChanges())).toBe("storage.failed");
});

test("the end of a move leaves the reservation of a new user under the old key", async () => {
  await using storage = await usersIn();
  const [from, to] = ["IS", "C:IS"].map((partitionKey) => ({ partitionKey, rowKey: "ID:1" }));
  if (from === undefined || to === undefined) throw new Error("Two keys are needed.");
  const { rowKey } = reservationKey("MAIL:ann@example.org");
  const reservation = { holders: [from], claim: "~w~1", home: "IS" };
  const entity = reservationRow(rowKey, "email", reservation);
  await storage.write("Users", { type: "insert", entity });

  await new MovedValues(storage, { table: "Users", from, to, rowKeys: [rowKey] }, {}).dropOldKey();

  expect(await reservations(storage)).toEqual({ [rowKey]: '[["IS","ID:1"]]' });
});
