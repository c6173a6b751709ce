import { createTables, defineEntity, defineKind, openStorage, TableContext, text } from "@partita/core";
import { markerRow } from "@partita/core/internal";
import { constant } from "@partita/core/keys";
import type { StoredEntity } from "@partita/core/storage";
import { manualClock } from "@partita/testing";
import { expect, test } from "vitest";
import { sweepMarkers } from "../src/index.ts";

const unique = { unique: true, over: "table" } as const;
const twoHoursMs = 7_200_000;

class User extends defineEntity({
  table: "Users",
  partitionKey: { country: text() },
  rowKey: { id: constant("ID:", text()) },
  properties: {},
}) {}
class Member extends defineKind(User, {
  kind: "Member",
  properties: { email: text() },
  indexes: { email: { rowKey: { email: constant("MAIL:", text()) }, ...unique } },
}) {}
class Customer extends defineEntity({
  table: "Customers",
  partitionKey: { country: text() },
  rowKey: { id: constant("ID:", text()) },
  properties: { email: text() },
  outbox: true,
  indexes: { email: { rowKey: { email: constant("MAIL:", text()) }, ...unique } },
}) {}

test("the markers of a kind are swept also if its base class has none", async () => {
  const clock = manualClock();
  await using storage = await openStorage("memory:", { clock });
  await createTables(storage, [User, Member]);
  const context = new TableContext(storage);
  context.create(Member, { country: "IS", id: "1", email: "ann@example.org" });
  await context.saveChanges();
  clock.advance(twoHoursMs);

  expect(await sweepMarkers(storage, [User, Member])).toBe(1);
});

test("old messages that only serve as markers are swept, and waiting messages stay", async () => {
  const clock = manualClock();
  await using storage = await openStorage("memory:", { clock });
  await createTables(storage, [Customer]);
  const closed = markerRow({ partitionKey: "IS", rowKey: "~o~1" }, "closed");
  const waiting: StoredEntity = { PartitionKey: "IS", RowKey: "~o~2", _row: "outbox", Task: "ship" };
  for (const entity of [closed, waiting]) await storage.write("Customers", { type: "insert", entity });

  const early = await sweepMarkers(storage, [Customer]);
  clock.advance(twoHoursMs);

  expect([early, await sweepMarkers(storage, [Customer])]).toEqual([0, 1]);
  const { entities } = await storage.query("Customers", {});
  expect(entities.map(({ RowKey }) => RowKey)).toEqual(["~o~2"]);
});
