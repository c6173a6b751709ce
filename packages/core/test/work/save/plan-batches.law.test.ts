import { fc, test as propertyTest } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { defineEntity, text } from "../../../src/index.ts";
import { type EntityModel, modelOf } from "../../../src/models.ts";
import { planBatches } from "../../../src/work/save/plan-batches.ts";
import { sizeOfEntity } from "../../../src/storage/limits.ts";
import { keyOfOperation } from "../../../src/storage/write-operation.ts";
import type { ChangeSet } from "../../../src/work/unit-of-work/tracked-entity.ts";

class Thing extends defineEntity({
  table: "Things",
  partitionKey: { tenant: text() },
  rowKey: { id: text() },
  properties: { text: text() },
}) {}
const model = modelOf(Thing);

class Marked extends defineEntity({
  table: "Marked",
  proof: "marker",
  partitionKey: { tenant: text() },
  rowKey: { id: text() },
  properties: { text: text() },
}) {}

function change(partitionKey: string, rowKey: string, body: string, of: EntityModel = model): ChangeSet {
  const operation = {
    type: "insert",
    entity: { PartitionKey: partitionKey, RowKey: rowKey, text: body },
  } as const;
  return {
    operation,
    bytes: sizeOfEntity(operation.entity).bytes,
    after: undefined,
    entry: { model: of, entity: {} } as unknown as ChangeSet["entry"],
  };
}

const bytesOf = (changes: readonly ChangeSet[]): number =>
  changes.reduce((sum, c) => sum + Buffer.byteLength(JSON.stringify(c.operation)), 0);

const changesOf = (of: EntityModel): fc.Arbitrary<ChangeSet[]> =>
  fc
    .array(
      fc.record({
        pk: fc.constantFrom("a", "b", "c"),
        size: fc.constantFrom(0, 10, 5_000, 30_000),
        unit: fc.constantFrom("x", "é", "\u0001", "\u{1f600}"),
      }),
      { maxLength: 400 },
    )
    .map((rows) =>
      rows.map(({ pk, size, unit }, i) => change(pk, `r${i}`, unit.repeat(size / unit.length), of)),
    );
const randomChanges = changesOf(model);

propertyTest.prop([fc.oneof(randomChanges, changesOf(modelOf(Marked)))], { numRuns: 100 })(
  "changes of one operation each are split as those that may have more are",
  (changes) => {
    const batchesOf = (all: readonly ChangeSet[]): unknown =>
      planBatches(all).map((batch) => batch.changes.map(({ operation }) => keyOfOperation(operation)));

    expect(batchesOf(changes.map((each) => ({ ...each, indexRows: [] })))).toEqual(batchesOf(changes));
    // A marker is an operation, too.
    const most = changes[0]?.entry.model === model ? 100 : 99;
    for (const batch of planBatches(changes)) expect(batch.changes.length).toBeLessThanOrEqual(most);
  },
);

propertyTest.prop([randomChanges], { numRuns: 200 })(
  "every batch keeps the limits, one partition, and order; nothing is lost",
  (changes) => {
    const batches = planBatches(changes);

    for (const batch of batches) {
      expect(batch.changes.length).toBeLessThanOrEqual(100);
      expect(bytesOf(batch.changes)).toBeLessThanOrEqual(4 * 1024 * 1024);
      expect(new Set(batch.changes.map((c) => keyOfOperation(c.operation).partitionKey)).size).toBe(1);
    }
    for (const pk of ["a", "b", "c"]) {
      const own = (list: readonly ChangeSet[]): ChangeSet[] =>
        list.filter((c) => keyOfOperation(c.operation).partitionKey === pk);
      expect(own(batches.flatMap((b) => b.changes))).toEqual(own(changes));
    }
  },
);

test("250 changes of one partition are 100, 100 and 50", () => {
  const changes = Array.from({ length: 250 }, (_, i) => change("a", `r${i}`, "x"));

  expect(planBatches(changes).map((batch) => batch.changes.length)).toEqual([100, 100, 50]);
});

test("nothing to save is no batch", () => {
  expect(planBatches([])).toEqual([]);
});
