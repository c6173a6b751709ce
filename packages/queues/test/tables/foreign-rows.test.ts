// Rows that another program wrote into the table of queues, or changed there.

import { warningsDuring } from "@partita/test-support/warnings";
import { openStorage, type TableStorage } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import { type QueueStorage, tableQueues } from "../../src/index.ts";
import { type ManualClock, manualClock } from "@partita/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const table = "PartitaQueues";
const partition = "orders!0";
const id = "01JD0000000000000000000000";

let clock: ManualClock;
let storage: TableStorage;
let queues: QueueStorage;
beforeEach(async () => {
  clock = manualClock(Date.UTC(2026, 0, 1));
  storage = await openStorage("memory:", { clock });
  queues = tableQueues(storage, { clock, shards: 1 });
  await queues.createQueue("orders");
  await queues.put("orders", "first");
  clock.advance(1);
});
afterEach(() => storage.close());

const rows = async (): Promise<readonly StoredEntity[]> =>
  (await storage.query(table, {})).entities.filter(({ PartitionKey }) => PartitionKey === partition);

/** The row of the one message that is there, with changes; undefined takes a property away. */
async function changeRow(changes: Readonly<Record<string, unknown>>): Promise<StoredEntity> {
  const [row] = await rows();
  const { "odata.etag": _, Timestamp: __, ...own } = { ...row, ...changes } as StoredEntity;
  await storage.write(table, {
    type: "delete",
    key: { partitionKey: partition, rowKey: row?.RowKey ?? "" },
    etag: "*",
  });
  const entity = Object.fromEntries(
    Object.entries(own).filter(([, value]) => value !== undefined),
  ) as StoredEntity;
  await storage.write(table, { type: "insert", entity });
  return entity;
}

const none = { "Body@odata.type": undefined };

const malformed: readonly (readonly [
  what: string,
  changes: Readonly<Record<string, unknown>>,
  problem: RegExp,
])[] = [
  ["no Body", { Body: undefined, ...none }, /Body/],
  ["a Body of text", { Body: "hello", ...none }, /Body/],
  ["a Body that is a number", { Body: 5, ...none }, /Body/],
  ["no Count", { Count: undefined }, /Count/],
  ["a Count of text", { Count: "many" }, /Count/],
  ["a Count below zero", { Count: -1 }, /Count/],
  ["a Count that cannot rise", { Count: 2 ** 31 - 1 }, /Count/],
  ["a Count with a fraction", { Count: 1.5 }, /Count/],
  ["no Id", { Id: undefined }, /Id/],
  ["an Id of another form", { Id: "order-1" }, /Id/],
  ["an Id that is a number", { Id: 5 }, /Id/],
  ["no Inserted", { Inserted: undefined, "Inserted@odata.type": undefined }, /Inserted/],
  ["an Inserted of other text", { Inserted: "yesterday", "Inserted@odata.type": undefined }, /Inserted/],
  ["an Expires of other text", { Expires: "never", "Expires@odata.type": undefined }, /Expires/],
  ["an Expires that is a number", { Expires: 5, "Expires@odata.type": undefined }, /Expires/],
  ["a RowKey of another form", { RowKey: "0001" }, /RowKey/],
  ["an empty RowKey", { RowKey: "" }, /RowKey/],
  ["a RowKey as long as any", { RowKey: "0".repeat(512) }, /RowKey/],
  ["properties of another program", { Body: undefined, ...none, Order: "o1", Total: 2.5 }, /Body/],
];

describe.each(["receive", "peek"] as const)("a row that %s meets", (call) => {
  const texts = async (): Promise<readonly string[]> =>
    (call === "receive"
      ? await queues.receive("orders", { max: 32, visibilityMs: 1000 })
      : await queues.peek("orders", { max: 32 })
    ).map(({ text }) => text);

  test.each(malformed)(
    "with %s is set aside as it is and reported once, and other messages go on",
    async (_what, changes, problem) => {
      const { PartitionKey: _, RowKey: rowKey, ...members } = await changeRow(changes);
      await queues.put("orders", "second");

      const warnings = await warningsDuring(async () => {
        expect(await texts()).toEqual(["second"]);
        clock.advance(2000);
        expect(await texts()).toEqual(["second"]);
      });

      expect(warnings).toMatchObject([{ code: "PARTITA_QUEUE_ROW" }]);
      expect(warnings[0]?.message).toMatch(problem);
      expect(warnings[0]?.message).not.toContain("hello");
      const aside = (await rows()).filter((row) => row.RowKey.startsWith("~malformed!"));
      expect(aside).toMatchObject([members]);
      expect(aside[0]?.RowKey).toBe(`~malformed!${rowKey}`.slice(0, 512));
      expect(await queues.approximateCount("orders")).toBe(1);
    },
  );
});

test("many such rows before a message do not keep it back, and one warning tells how to find all of them", async () => {
  for (let i = 0; i < 150; i++)
    await storage.write(table, {
      type: "insert",
      entity: { PartitionKey: partition, RowKey: String(i).padStart(4, "0"), Other: i },
    });

  const warnings = await warningsDuring(async () => {
    const received = await queues.receive("orders", { visibilityMs: 1000 });
    expect(received.map(({ text }) => text)).toEqual(["first"]);
  });

  expect(warnings).toMatchObject([{ code: "PARTITA_QUEUE_ROW" }]);
  expect(warnings[0]?.message).toMatch(/"orders"/);
  expect(warnings[0]?.message).toMatch(/RowKey that starts with "~malformed!" in the partitions "orders!…"/);
  expect(warnings[0]?.message).not.toMatch(/150/);
});

test("a second queue with such rows has a warning of its own", async () => {
  await queues.createQueue("others");
  const other = { PartitionKey: "others!0", RowKey: "0001", Other: 1 };

  const warnings = await warningsDuring(async () => {
    for (const RowKey of ["0001", "0002"]) {
      await storage.write(table, { type: "insert", entity: { PartitionKey: partition, RowKey } });
      await queues.receive("orders", { visibilityMs: 1000 });
    }
    await storage.write(table, { type: "insert", entity: other });
    await queues.receive("others", { visibilityMs: 1000 });
  });

  expect(warnings).toHaveLength(2);
  expect(warnings[1]?.message).toMatch(/The queue "others"/);
});

test("a message whose optional time of expiry is missing, or which has more properties, is a message", async () => {
  await changeRow({ Expires: undefined, "Expires@odata.type": undefined, TraceId: "t" });

  expect(await queues.receive("orders", { visibilityMs: 1000 })).toMatchObject([
    { text: "first", deliveries: 1 },
  ]);
});

test.each([
  ["Shards", undefined],
  ["Shards", 0],
  ["Shards", 65],
  ["Shards", 1.5],
  ["Shards", "4"],
  ["Generation", undefined],
  ["Generation", 5],
])(
  "a queue whose own row has the %s %j is refused with what to do, and no other queue is",
  async (name, value) => {
    await queues.createQueue("others");
    const row = { Shards: 1, Generation: id, [name]: value };
    const entity = { PartitionKey: "queues", RowKey: "broken", ...row } as StoredEntity;
    await storage.write(table, { type: "insert", entity });

    const other = tableQueues(storage, { clock });
    const refused = { code: "queue.row", applied: "no" };
    await expect(other.receive("broken", { visibilityMs: 1000 })).rejects.toMatchObject(refused);
    await expect(other.put("broken", "x")).rejects.toMatchObject(refused);
    await expect(other.deleteQueue("broken")).rejects.toMatchObject({ code: "queue.row" });
    expect(await other.listQueues()).toEqual(["orders", "others"]);
    await other.put("others", "x");
  },
);
