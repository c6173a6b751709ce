import { expect, test } from "vitest";
import type { StoredEntity } from "../../../src/storage.ts";
import { contextOf, Note, open } from "./store.ts";

test("20,000 clean entities: a save sends nothing", async () => {
  const store = await open();
  const rows = (from: number): { type: "insert"; entity: StoredEntity }[] =>
    Array.from({ length: 100 }, (_, i) => ({
      type: "insert",
      entity: { PartitionKey: "b", RowKey: String(from + i), title: "x", tags: "[1]" },
    }));
  for (let from = 0; from < 20_000; from += 100) await store.inner.transact("Notes", rows(from));
  const context = contextOf(store);
  const notes = await context.query(Note).where({ book: "b" }).toArray();
  store.reset();

  expect(notes.length).toBe(20_000);
  expect(await context.saveChanges()).toEqual([]);
  expect([store.sent.length, store.reads.length]).toEqual([0, 0]);
});
