import { describe, expect, test } from "vitest";
import { virtualClock, withFaults } from "@partita/testing";
import {
  createTables,
  defineEntity,
  int32,
  openStorage,
  type Query,
  type ReadOptions,
  type TableStorage,
  TableContext,
  text,
} from "../../src/index.ts";
import { fixed, noRetry } from "../../src/rest.ts";

class Note extends defineEntity({
  table: "Notes",
  partitionKey: { book: text() },
  rowKey: { id: text() },
  properties: { n: int32() },
}) {}

async function seeded(): Promise<TableStorage> {
  const storage = await openStorage("memory:");
  await createTables(storage, [Note]);
  await using context = new TableContext(storage);
  for (const id of ["1", "2", "3"]) context.add(new Note({ book: "b", id, n: Number(id) }));
  await context.saveChanges();
  return storage;
}

const notes = (context: TableContext): Query<Note> => context.query(Note).where({ book: "b" });

type Read = (query: Query<Note>, options: ReadOptions) => Promise<unknown>;

const reads: [string, Read][] = [
  ["toArray", (query, options) => query.toArray(options)],
  ["first", (query, options) => query.first(options)],
  ["single", (query, options) => query.where({ id: "1" }).single(options)],
  ["count", (query, options) => query.count(options)],
  ["page", (query, options) => query.page({ size: 2, ...options })],
  ["pages", (query, options) => query.pages({ size: 2, ...options }).next()],
  ["stream", (query, options) => query.stream(options).next()],
  ["updateAll", (query, options) => query.updateAll((note) => void note.n++, options)],
  ["removeAll", (query, options) => query.removeAll(options)],
];

describe.each(reads)("%s", (_method, read) => {
  test("takes a signal, also an undefined one", async () => {
    await using storage = await seeded();
    await using context = new TableContext(storage);

    await expect(read(notes(context), { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "storage.cancelled",
    });
    await read(notes(context), { signal: undefined, retry: undefined });
  });

  test("takes a retry policy, in place of the context's", async () => {
    await using inner = await seeded();
    const clock = virtualClock();
    const storage = withFaults(inner, ({ number }) => (number === 1 ? "refused" : undefined));
    await using context = new TableContext(storage, { retry: noRetry, clock });

    await read(notes(context), { retry: fixed(2, 700) });

    expect(clock.waits).toEqual([700]);
  });

  test("refuses a misspelt option", async () => {
    await using storage = await seeded();
    await using context = new TableContext(storage);

    await expect((async () => read(notes(context), { signall: 1 } as never))()).rejects.toMatchObject({
      name: "OptionError",
      code: "query.option",
      message: expect.stringMatching(/does not know "signall"\. Did you mean signal\?/) as string,
    });
  });
});

test("stream() gives the same entities as enumerating the query", async () => {
  await using storage = await seeded();
  await using context = new TableContext(storage);
  const ids: string[] = [];

  for await (const note of notes(context).stream()) ids.push(note.id);

  expect(ids).toEqual((await notes(context).toArray()).map((note) => note.id));
});

test("an option of one call does not change the query", async () => {
  await using storage = await seeded();
  await using context = new TableContext(storage);
  const query = notes(context);

  await expect(query.toArray({ signal: AbortSignal.abort() })).rejects.toMatchObject({
    code: "storage.cancelled",
  });

  expect(await query.count()).toBe(3);
});
