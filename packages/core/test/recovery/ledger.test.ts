import { expect, test } from "vitest";
import { defineEntity, text } from "../../src/index.ts";
import { modelOf } from "../../src/model/model-registry.ts";
import { attemptOf } from "../../src/recovery/attempt.ts";
import { Ledger } from "../../src/recovery/ledger.ts";
import { systemClock } from "../../src/storage/clock.ts";
import { type ChangeSet, TrackedEntity } from "../../src/unit-of-work/tracked-entity.ts";

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
  after: undefined,
  bytes: 0,
});

test("a program that goes on without a response keeps a limited number of its attempts", () => {
  for (let n = 0; n < 1000; n++) {
    // Every other change asks for the same as before.
    const change = changeTo(`version ${n >> 1}`);
    const sending = { clock: systemClock, sentAt: 0, sentOn: 0, sentAfter: undefined };
    const attempt = attemptOf({ table: "Notes", changes: [change] }, sending, new Error("no response"));
    ledger.add(attempt, change, "open");
    ledger.close(attempt);
  }

  expect(ledger.sentOf(entry).length).toBeLessThan(150);
  expect(ledger.attemptsOf(changeTo("version 499"))).toHaveLength(1);
  expect(ledger.attemptsOf(changeTo("version 450"))).toHaveLength(1);
});
