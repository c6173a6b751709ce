// resolveInDoubt(): finding out without saving again, at once or after a wait.

import {
  type Fault,
  type FaultyStorage,
  virtualClock,
  type VirtualClock,
  withFaults,
  writeFaults,
} from "@partita/testing";
import { expect, test } from "vitest";
import {
  createTables,
  defineEntity,
  int32,
  openStorage,
  type TableStorage,
  TableContext,
  text,
} from "../../../../src/index.ts";
import { noRetry, systemClock } from "../../../../src/rest.ts";

class Note extends defineEntity({
  table: "Notes",
  partitionKey: { book: text() },
  rowKey: { id: text() },
  properties: { n: int32() },
}) {}

interface Setting {
  readonly inner: TableStorage;
  readonly storage: FaultyStorage;
  readonly clock: VirtualClock;
  readonly context: TableContext;
  readonly note: Note;
}

/** A stored note that is changed, and saved with this fault. */
async function afterSave(fault: Fault): Promise<Setting> {
  const inner = await openStorage("memory:");
  await createTables(inner, [Note]);
  await inner.write("Notes", { type: "insert", entity: { PartitionKey: "b", RowKey: "1", n: 1 } });
  const clock = virtualClock();
  const isRead = { value: false };
  const plan = writeFaults(fault);
  // Reading back fails too, so that the save itself cannot find out.
  const storage = withFaults(inner, (request) =>
    request.type === "get" && isRead.value ? "refused" : plan(request),
  );
  const context = new TableContext(storage, { clock, retry: noRetry });
  const note = (await context.find(Note, { book: "b", id: "1" })) as Note;
  note.n = 2;
  isRead.value = true;
  await expect(context.saveChanges()).rejects.toMatchObject({
    results: [{ outcome: "unknown", lateUntil: new Date(clock.now() + 60_000) }],
  });
  isRead.value = false;
  return { inner, storage, clock, context, note };
}

test("a write that was carried out is proved, and nothing is sent", async () => {
  const { context, note, storage } = await afterSave("reset-after");
  const before = storage.requests.length;

  expect(await context.resolveInDoubt()).toMatchObject([{ entity: note, outcome: "committed", etag: /./ }]);
  expect(storage.requests.slice(before).map(({ type }) => type)).toEqual(["get"]);
  expect(context.entry(note)).toMatchObject({ state: "unchanged", inDoubt: false });
  expect(await context.resolveInDoubt()).toEqual([]);
});

test("a write that is not there yet stays unknown until it can no longer arrive", async () => {
  const { context, note, clock } = await afterSave("reset-before");

  expect(await context.resolveInDoubt()).toMatchObject([{ entity: note, outcome: "unknown" }]);
  clock.advance(59_000);
  expect(await context.resolveInDoubt({ only: [note] })).toMatchObject([{ outcome: "unknown" }]);
  clock.advance(1_001);
  expect(await context.resolveInDoubt({ only: [note] })).toMatchObject([
    { entity: note, outcome: "rejected", error: { code: "storage.not-stored" } },
  ]);
  expect(context.entry(note)).toMatchObject({ state: "modified", inDoubt: false });
  expect(await context.saveChanges()).toMatchObject([{ outcome: "committed" }]);
});

test("waiting decides, for what was carried out late too", async () => {
  const never = await afterSave("reset-before");
  expect(await never.context.resolveInDoubt({ wait: true })).toMatchObject([{ outcome: "rejected" }]);
  expect(never.clock.waits).toEqual([60_001]);

  const late = await afterSave("late");
  expect(await late.context.resolveInDoubt({ wait: true })).toMatchObject([{ outcome: "committed" }]);
  expect(await late.inner.get("Notes", key)).toMatchObject({ n: 2 });
});

test("what cannot be read stays unknown, and the waiting can be cancelled", async () => {
  const { context, clock } = await afterSave("reset-before");
  const stop = new AbortController();
  stop.abort();

  expect(await context.resolveInDoubt({ wait: true, signal: stop.signal })).toMatchObject([
    { outcome: "unknown" },
  ]);
  expect(clock.waits).toEqual([]);
});

/** A context whose reads fail while `isBlind` is set. */
async function blindable(
  ...faults: readonly (Fault | undefined)[]
): Promise<{ inner: TableStorage; context: TableContext; sight: { isBlind: boolean } }> {
  const inner = await openStorage("memory:");
  await createTables(inner, [Note]);
  const sight = { isBlind: false };
  const plan = writeFaults(...faults);
  const storage = withFaults(inner, (request) =>
    request.type === "get" && sight.isBlind ? "refused" : plan(request),
  );
  return { inner, context: new TableContext(storage, { clock: virtualClock(), retry: noRetry }), sight };
}

const key = { partitionKey: "b", rowKey: "1" };

test("a row that is not there proves nothing: it may have been removed since; the next save finds out", async () => {
  const { inner, context, sight } = await blindable("timeout-after");
  const note = context.add(new Note({ book: "b", id: "1", n: 1 }));
  sight.isBlind = true;
  await expect(context.saveChanges()).rejects.toMatchObject({ results: [{ outcome: "unknown" }] });
  sight.isBlind = false;
  await inner.write("Notes", { type: "delete", key, etag: "*" });

  expect(await context.resolveInDoubt({ wait: true })).toMatchObject([
    { operation: "insert", outcome: "unknown" },
  ]);
  expect(context.entry(note)).toMatchObject({ state: "added", inDoubt: false });
  expect(await context.saveChanges()).toMatchObject([{ outcome: "committed" }]);
});

test("an earlier write that took effect is not taken for the later one", async () => {
  const { inner, context, sight } = await blindable("reset-before", "reset-before");
  const { etag = "" } = await inner.write("Notes", {
    type: "insert",
    entity: { PartitionKey: "b", RowKey: "1", n: 1 },
  });
  const note = (await context.find(Note, { book: "b", id: "1" })) as Note;
  for (const n of [2, 3]) {
    note.n = n;
    await expect(context.saveChanges()).rejects.toMatchObject({ results: [{ outcome: "unknown" }] });
  }
  expect(sight.isBlind).toBe(false);
  // The first request arrives after all.
  await inner.write("Notes", { type: "merge", entity: { PartitionKey: "b", RowKey: "1", n: 2 }, etag });

  // Its values say nothing of the later write, which somebody may have written over: that is for the owner to decide.
  expect(await context.resolveInDoubt({ wait: true })).toMatchObject([{ outcome: "unknown" }]);
  expect(note.n).toBe(3);
  expect(context.entry(note).state).toBe("modified");
  await context.resolveConflict(note, "mine");
  await context.saveChanges();
  expect(await inner.get("Notes", key)).toMatchObject({ n: 3 });
});

test("what is reloaded during the wait stays unknown", async () => {
  const { inner, context, note, clock } = await afterSave("reset-before");
  const { "odata.etag": etag = "" } = (await inner.get("Notes", key)) ?? {};
  const waiting = clock.wait.bind(clock);
  clock.wait = async (ms, signal) => {
    await inner.write("Notes", { type: "merge", entity: { PartitionKey: "b", RowKey: "1", n: 2 }, etag });
    await context.reload(note);
    await waiting(ms, signal);
  };

  expect(await context.resolveInDoubt({ wait: true })).toMatchObject([{ outcome: "unknown" }]);
  expect(note.n).toBe(2);
});

test("what was removed after an upsert that did not happen is removed all the same", async () => {
  let age = 3_600_000;
  const inner = await openStorage("memory:", { clock: { ...systemClock, now: () => Date.now() - age } });
  await createTables(inner, [Note]);
  await inner.write("Notes", { type: "insert", entity: { PartitionKey: "b", RowKey: "1", n: 1 } });
  age = 0;
  const clock = virtualClock();
  const context = new TableContext(withFaults(inner, writeFaults("reset-before")), { clock, retry: noRetry });
  const note = context.upsert(new Note({ book: "b", id: "1", n: 2 }), "replace");
  await expect(context.saveChanges()).rejects.toMatchObject({ results: [{ outcome: "unknown" }] });
  context.remove(note);
  clock.advance(60_001);

  expect(await context.saveChanges()).toMatchObject([{ operation: "delete", outcome: "committed" }]);
  expect(await inner.get("Notes", key)).toBeUndefined();
});

test("wrong options are refused", async () => {
  const context = new TableContext(await openStorage("memory:"));

  for (const options of [{ wait: 1 }, { only: 1 }, { entity: 1 }])
    await expect(context.resolveInDoubt(options as never)).rejects.toMatchObject({ code: "context.option" });
  await expect(
    context.resolveInDoubt({ only: [new Note({ book: "b", id: "1", n: 1 })] }),
  ).rejects.toMatchObject({
    code: "entity.not-tracked",
  });
});
