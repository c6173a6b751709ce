import { folderOfEachTest } from "@partita/test-support/folder-of-each-test";
import { virtualClock } from "@partita/testing";
import { expect, test } from "vitest";
import { openEmbedded } from "../../../src/stores/embedded/embedded-storage.ts";
import { openStorage, type TableStorage } from "../../../src/index.ts";
import type { StoredEntity, WriteOperation } from "../../../src/storage.ts";
import { systemClock } from "../../../src/rest.ts";
import { insert, key } from "./things.ts";

const inFolder = folderOfEachTest();

const at = (storage: TableStorage, rowKey: string): Promise<StoredEntity | undefined> =>
  storage.get("Things", { partitionKey: "p", rowKey });
const timeOf = (row: StoredEntity | undefined): number => Date.parse(String(row?.Timestamp));

const etagAfter = async (storage: TableStorage, operation: WriteOperation): Promise<string> =>
  String((await storage.write("Things", operation)).etag);

const day = 86_400_000;
const today = Date.UTC(2026, 0, 1);

test.each(["memory:", "file:"])(
  "over %s, one wrong clock spoils the Timestamps of its own writes, and no later one",
  async (kind) => {
    let now = today;
    const clock = { ...systemClock, now: () => now };
    await using storage = await openEmbedded(kind === "file:" ? inFolder("a.db") : ":memory:", { clock });
    await storage.createTable("Things");
    const etags = [await etagAfter(storage, insert({}, "before"))];
    now = today + 400 * day;
    etags.push(await etagAfter(storage, insert({}, "wrong")));
    now = today + 1000;
    etags.push(await etagAfter(storage, insert({}, "after")));
    now = today + 2000;
    etags.push(await etagAfter(storage, { type: "merge", entity: { ...key, RowKey: "before" }, etag: "*" }));

    expect(timeOf(await at(storage, "wrong"))).toBe(today + 400 * day);
    expect(timeOf(await at(storage, "after"))).toBe(today + 1000);
    expect(timeOf(await at(storage, "before"))).toBe(today + 2000);
    const { entities } = await storage.query("Things", {
      filter: {
        op: "lt",
        name: "Timestamp",
        literal: { edm: "Edm.DateTime", value: "2026-01-02T00:00:00Z" },
      },
    });
    expect(entities.map(({ RowKey }) => RowKey)).toEqual(["after", "before"]);
    // ETags rise all the same, and are those that reads return.
    expect(etags.toSorted()).toEqual(etags);
    expect((await at(storage, "after"))?.["odata.etag"]).toBe(etags[2]);
    await storage.write("Things", {
      type: "replace",
      entity: { ...key, RowKey: "after", long: "x".repeat(500) },
      etag: etags[2] ?? "",
    });
    expect(timeOf(await at(storage, "after"))).toBe(today + 2000);
  },
);

test("rows of one millisecond have rising Timestamps", async () => {
  await using storage = await openStorage("memory:", { clock: virtualClock(today) });
  await storage.createTable("Things");
  await storage.transact(
    "Things",
    Array.from({ length: 100 }, (_, i) => insert({}, `r${String(i).padStart(2, "0")}`)),
  );

  const { entities } = await storage.query("Things", {});
  const times = entities.map(({ Timestamp }) => String(Timestamp));
  expect(new Set(times).size).toBe(100);
  expect(times.toSorted()).toEqual(times);
  expect(times[0]).toBe("2026-01-01T00:00:00.0000000Z");
});
