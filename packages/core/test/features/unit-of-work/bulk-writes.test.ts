import { expect, test } from "vitest";
import { StorageError, TableContext } from "../../../src/index.ts";
import { exponential, noRetry } from "../../../src/rest.ts";
import { forwardStorage } from "../../../src/storage/forward-storage.ts";
import { contextOf, failure, Note, open, seeded, valuesIn } from "./store.ts";

test("updateAll: one refused row does not hide the others, and what stopped it is told with what was done", async () => {
  const store = await seeded(open, 4);
  const context = contextOf(store, {
    hooks: {
      saving: (entity) => {
        if ((entity as Note).id === "2") throw new Error("not this one");
      },
    },
  });
  const bulk = (): Promise<unknown> =>
    context
      .query(Note)
      .where({ book: "b" })
      .updateAll((note) => void (note.pages += 10));

  const error = await failure(bulk());
  expect(error.results.map((r) => r.outcome)).toContain("rejected");
  expect([await valuesIn(store, 1), await valuesIn(store, 2), await valuesIn(store, 4)]).toMatchObject([
    { pages: 11 },
    { pages: 2 },
    { pages: 14 },
  ]);
});

test("removeAll that is cut short says how far it came", async () => {
  const store = await open();
  for (let from = 0; from < 1500; from += 100)
    await store.inner.transact(
      "Notes",
      Array.from({ length: 100 }, (_, i) => ({
        type: "insert" as const,
        entity: { PartitionKey: "b", RowKey: String(from + i).padStart(5, "0"), title: "x" },
      })),
    );
  const cancel = new AbortController();
  const cut = contextOf(store)
    .query(Note)
    .where({ book: "b" })
    .removeAll({ signal: cancel.signal, onProgress: () => cancel.abort() });

  expect(await failure(cut)).toMatchObject({
    code: "save.stopped",
    message: expect.stringMatching(/^Stopped after 1000 rows: 1000 were written/) as string,
  });
});

test("rows that others changed are read again with the signal and the policy of the call", async () => {
  const store = await seeded(open, 1);
  const { signal } = new AbortController();
  const asked: unknown[] = [];
  const storage = forwardStorage(store.inner, {
    get: (_table, _key, options) => {
      asked.push([options?.signal === signal, options?.attempt]);
      return Promise.reject(new StorageError("storage.timeout", "No answer.", { applied: "no" }));
    },
  });
  const context = new TableContext(storage, { retry: exponential({ attempts: 4, delayMs: 0, minMs: 0 }) });
  const change = async (note: Note): Promise<void> => {
    note.pages++;
    await store.inner.write("Notes", {
      type: "merge",
      entity: { PartitionKey: "b", RowKey: note.id, pages: 7 },
      etag: "*",
    });
  };

  await expect(
    context.query(Note).where({ book: "b" }).updateAll(change, { retry: noRetry, signal }),
  ).rejects.toBeInstanceOf(Error);
  expect(asked).toEqual([[true, 1]]);
});

test("removeAll: rows whose removal was not answered are gone, and count as removed", async () => {
  const store = await seeded(open, 3);
  let writes = 0;
  store.plan = ({ operations }) => (operations.length > 0 && writes++ === 0 ? "timeout-after" : undefined);

  expect(await contextOf(store).query(Note).where({ book: "b" }).removeAll()).toMatchObject({
    read: 3,
    written: 3,
  });
  expect(await valuesIn(store, 1)).toBeUndefined();
});
