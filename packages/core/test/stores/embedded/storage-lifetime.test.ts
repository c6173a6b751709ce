import { expect, test } from "vitest";
import { openStorage } from "../../../src/index.ts";
import { systemClock } from "../../../src/rest.ts";
import { insert, key, memory, read } from "./things.ts";

test("tables created at once do not disturb each other, also when one exists", async () => {
  await using storage = await memory();

  const results = await Promise.allSettled(
    ["Things", "Alpha", "Beta"].map((table) => storage.createTable(table)),
  );

  expect(results.map((result) => result.status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
  expect(await storage.listTables()).toEqual(["Alpha", "Beta", "Things"]);
});

test("closing answers what was accepted, and twice is once", async () => {
  const storage = await memory();
  const writing = storage.write("Things", insert({}));
  const reading = storage.query("Things", {});
  const closing = [storage.close(), storage.close()];

  expect(await Promise.allSettled([writing, reading, ...closing])).toMatchObject(
    Array(4).fill({ status: "fulfilled" }),
  );
});

test.each([Number.NaN, Date.UTC(2300, 0), Number.POSITIVE_INFINITY, -1])(
  "a clock of %d spoils nothing",
  async (now) => {
    await using storage = await openStorage("memory:", { clock: { ...systemClock, now: () => now } });
    await storage.createTable("Things");
    const { etag = "" } = await storage.write("Things", insert({}));
    await storage.write("Things", { type: "merge", entity: { ...key, A: 1 }, etag });

    expect((await read(storage))?.["A"]).toBe(1);
  },
);
