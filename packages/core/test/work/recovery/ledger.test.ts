import { expect, test } from "vitest";
import { defineEntity, text } from "../../../src/index.ts";
import { completeSnapshot } from "../../../src/model/codec/snapshot.ts";
import { modelOf } from "../../../src/model/declaration/model-registry.ts";
import { attemptOf } from "../../../src/work/recovery/attempt.ts";
import { Ledger } from "../../../src/work/recovery/ledger.ts";
import { systemClock } from "../../../src/storage/clock.ts";
import { type ChangeSet, TrackedEntity } from "../../../src/work/unit-of-work/tracked-entity.ts";

class Note extends defineEntity({
  table: "Notes",
  partitionKey: { book: text() },
  rowKey: { id: text() },
  properties: { title: text() },
}) {}

const ledger = new Ledger();
const key = { partitionKey: "b", rowKey: "1" };
const entry = new TrackedEntity(modelOf(Note), new Note({ book: "b", id: "1", title: "" }), key, {});
entry.home = { work: new Set(), lost: ledger };

const changeTo = (title: string): ChangeSet => ({
  entry,
  operation: { type: "insert", entity: { PartitionKey: "b", RowKey: "1", title } },
  after: completeSnapshot([title]),
  bytes: 0,
});

/** A change was sent, and nothing will be found out about it. */
function lose(change: ChangeSet): void {
  const sending = { clock: systemClock, sentAt: 0, sentOn: 0, sentAfter: undefined };
  const attempt = attemptOf({ table: "Notes", changes: [change] }, sending, new Error("no response"));
  ledger.add(attempt, change, "open");
  ledger.close(attempt);
}

test("of attempts that ask for the same, the newest is kept", () => {
  for (const title of ["a", "b", "a", "a"]) lose(changeTo(title));

  expect(ledger.sentOf(entry).map(({ change }) => change.after?.values)).toEqual([["b"], ["a"]]);
  expect(ledger.attemptsOf(changeTo("a"))).toHaveLength(1);
  expect(ledger.attemptsOf(changeTo("c"))).toEqual([]);
});

test("a program that goes on without a response keeps a limited number of its attempts, which stand for the older ones", () => {
  for (let n = 0; n < 1000; n++) lose(changeTo(`version ${n}`));

  expect(ledger.sentOf(entry).length).toBeLessThan(25);
  expect(ledger.attemptsOf(changeTo("version 999"))).not.toEqual([]);
  expect(ledger.attemptsOf(changeTo("version 5"))).not.toEqual([]);
});
