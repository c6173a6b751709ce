import { expect, test } from "vitest";
import { defineEntity, text } from "../../../src/index.ts";
import { modelOf } from "../../../src/model/declaration/model-registry.ts";
import { RemovedRows } from "../../../src/work/unit-of-work/removed-rows.ts";
import { TrackedEntity } from "../../../src/work/unit-of-work/tracked-entity.ts";

class Note extends defineEntity({
  table: "Notes",
  partitionKey: { book: text() },
  rowKey: { id: text() },
  properties: {},
}) {}

const model = modelOf(Note);
const keyOf = (id: number) => ({ partitionKey: "b", rowKey: String(id) });
const entryOf = (id: number) =>
  new TrackedEntity(model, new Note({ book: "b", id: String(id) }), keyOf(id), {});

test("remembers at least the last 10,000 removed rows, and at most twice as many", () => {
  const removed = new RemovedRows();
  const count = 45_000;
  for (let id = 1; id <= count; id++) removed.add(entryOf(id), id);

  const known = Array.from({ length: count }, (_, i) => removed.hasSince(model, keyOf(i + 1), 0));
  const first = known.indexOf(true);
  expect(first).toBeLessThanOrEqual(count - 10_000);
  expect(first).toBeGreaterThanOrEqual(count - 20_000);
  expect(known.slice(first)).not.toContain(false);
});

test("a row that is removed again counts by its last removal, whichever generation the first one is in", () => {
  const removed = new RemovedRows();
  for (let id = 1; id <= 10_001; id++) removed.add(entryOf(id), 1);
  removed.add(entryOf(1), 7);

  expect(removed.hasSince(model, keyOf(1), 6)).toBe(true);
  expect(removed.hasSince(model, keyOf(1), 7)).toBe(false);
  expect(removed.hasSince(model, keyOf(2), 0)).toBe(true);
  expect(removed.hasSince(model, keyOf(2), 1)).toBe(false);
});
