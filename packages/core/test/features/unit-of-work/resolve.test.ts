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
  noRetry,
  openStorage,
  type TableStorage,
  TableContext,
  text,
} from "../../../src/index.ts";

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

  expect(await context.resolve()).toMatchObject([{ entity: note, outcome: "committed", etag: /./ }]);
  expect(storage.requests.slice(before).map(({ type }) => type)).toEqual(["get"]);
  expect(context.entry(note)).toMatchObject({ state: "unchanged", uncertain: false });
  expect(await context.resolve()).toEqual([]);
});

test("a write that is not there yet stays unknown until it can no longer arrive", async () => {
  const { context, note, clock } = await afterSave("reset-before");

  expect(await context.resolve()).toMatchObject([{ entity: note, outcome: "unknown" }]);
  clock.advance(59_000);
  expect(await context.resolve({ only: [note] })).toMatchObject([{ outcome: "unknown" }]);
  clock.advance(1_001);
  expect(await context.resolve({ only: [note] })).toMatchObject([
    { entity: note, outcome: "rejected", error: { code: "storage.not-stored" } },
  ]);
  expect(context.entry(note)).toMatchObject({ state: "modified", uncertain: false });
  expect(await context.saveChanges()).toMatchObject([{ outcome: "committed" }]);
});

test("waiting decides, for what was carried out late too", async () => {
  const never = await afterSave("reset-before");
  expect(await never.context.resolve({ wait: true })).toMatchObject([{ outcome: "rejected" }]);
  expect(never.clock.waits).toEqual([60_001]);

  const late = await afterSave("late");
  expect(await late.context.resolve({ wait: true })).toMatchObject([{ outcome: "committed" }]);
  expect(await late.inner.get("Notes", { partitionKey: "b", rowKey: "1" })).toMatchObject({ n: 2 });
});

test("what cannot be read stays unknown, and the waiting can be cancelled", async () => {
  const { context, clock } = await afterSave("reset-before");
  const stop = new AbortController();
  stop.abort();

  expect(await context.resolve({ wait: true, signal: stop.signal })).toMatchObject([{ outcome: "unknown" }]);
  expect(clock.waits).toEqual([]);
});

test("an added entity that was not stored is to be added again", async () => {
  const inner = await openStorage("memory:");
  await createTables(inner, [Note]);
  const clock = virtualClock();
  const storage = withFaults(inner, writeFaults("timeout-before"));
  const context = new TableContext(storage, { clock, retry: noRetry });
  const note = context.add(new Note({ book: "b", id: "1", n: 1 }));
  await expect(context.saveChanges()).rejects.toMatchObject({ results: [{ outcome: "unknown" }] });

  expect(await context.resolve({ wait: true })).toMatchObject([{ operation: "insert", outcome: "rejected" }]);
  expect(context.entry(note).state).toBe("added");
  await context.saveChanges();
  expect(await inner.get("Notes", { partitionKey: "b", rowKey: "1" })).toMatchObject({ n: 1 });
});

test("wrong options are refused", async () => {
  const context = new TableContext(await openStorage("memory:"));

  for (const options of [{ wait: 1 }, { only: 1 }, { entity: 1 }])
    await expect(context.resolve(options as never)).rejects.toMatchObject({ code: "context.option" });
  await expect(context.resolve({ only: [new Note({ book: "b", id: "1", n: 1 })] })).rejects.toMatchObject({
    code: "entity.not-tracked",
  });
});
