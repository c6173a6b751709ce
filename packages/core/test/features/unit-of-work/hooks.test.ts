import { channel } from "node:diagnostics_channel";
import { writeFaults } from "@partita/testing";
import { expect, test } from "vitest";
import type { SaveError, StateError, TableContext } from "../../../src/index.ts";
import type { SentRequest } from "../../../src/observe.ts";
import {
  codeOf,
  contextOf,
  failure,
  keyOf,
  Note,
  openStore,
  outcomesOf,
  read,
  row,
  seeded,
  valuesIn,
} from "./store.ts";

const open = (): ReturnType<typeof openStore> => openStore("memory:");

test("hooks are told of requests, entities and changes, in order", async () => {
  const store = await seeded(open);
  const reported: string[] = [];
  const context = contextOf(store, {
    hooks: {
      sending: ({ type, operations, attempt }) =>
        void reported.push(`sending ${type} ${operations} ${attempt}`),
      received: ({ type, entities, error }) =>
        void reported.push(`received ${type} ${entities ?? error?.code ?? "ok"}`),
      materialized: (entity) => void reported.push(`materialized ${(entity as Note).id}`),
      saving: (entity, state) => void reported.push(`saving ${(entity as Note).id} ${state}`),
      saved: ({ operation, outcome }) => void reported.push(`saved ${operation} ${outcome}`),
    },
  });
  const note = await read(context);
  note.pages = 5;
  store.plan = writeFaults("throttled");
  await context.saveChanges();

  expect(reported).toEqual([
    "sending get 0 1",
    "received get 1",
    "materialized 1",
    "saving 1 modified",
    "sending write 1 1",
    "received write storage.too-many-requests",
    "sending write 1 2",
    "received write ok",
    "saved merge committed",
  ]);
});

test("a saving hook may change entities and add others: all of it is saved at once", async () => {
  const store = await seeded(open);
  const context: TableContext = contextOf(store, {
    hooks: {
      saving: async (entity) => {
        const note = entity as Note;
        if (note.id === "log") return;
        note.editedOn = new Date(0);
        if (!context.pendingChanges().some(({ entity }) => (entity as Note).id === "log"))
          context.create(Note, { ...keyOf("log"), title: "saved something" });
      },
    },
  });
  (await read(context)).title = "edited";
  await context.saveChanges({ batch: "atomic" });

  expect(store.sent.map((operations) => operations.map((operation) => operation.type))).toEqual([
    ["merge", "insert"],
  ]);
  expect(await valuesIn(store)).toMatchObject({ title: "edited", editedOn: "1970-01-01T00:00:00.000Z" });
});

test("a saving hook that throws stops the save before anything is sent", async () => {
  const store = await seeded(open, 2);
  const context = contextOf(store, {
    hooks: {
      saving: (entity) => {
        if ((entity as Note).id === "2") throw new Error("not this one");
      },
    },
  });
  for (const n of [1, 2]) (await read(context, n)).title = "edited";

  expect(await failure(context.saveChanges())).toMatchObject({
    code: "save.invalid",
    message: expect.stringMatching(/not this one/) as string,
  });
  expect(store.sent).toEqual([]);
});

test("a sending hook that throws keeps its group from being sent, for certain, and no other", async () => {
  const store = await open();
  let writes = 0;
  const context = contextOf(store, {
    hooks: {
      sending: ({ type }) => {
        if (type === "write" && ++writes === 1) throw new Error("no");
      },
    },
  });
  for (const book of ["b", "c"]) context.create(Note, { ...keyOf(1, book), title: "new" });

  expect(await outcomesOf(context.saveChanges({ concurrency: 1 }))).toEqual([
    "rejected storage.not-sent",
    "committed",
  ]);
  expect(await row(store)).toBeUndefined();
});

test.each(["received", "saved"] as const)(
  "a %s hook that throws is told, and undoes nothing",
  async (hook) => {
    const store = await open();
    const context = contextOf(store, {
      hooks: {
        [hook]: () => {
          throw new Error("too late");
        },
      },
    });
    const notes = ["b", "c"].map((book) => context.create(Note, { ...keyOf(1, book), title: "new" }));

    const error = await failure(context.saveChanges());
    expect(error).toMatchObject({
      code: "save.hook-failed",
      message: expect.stringMatching(/too late/) as string,
    });
    expect(error.results.map((r) => r.outcome)).toEqual(["committed", "committed"]);
    expect(notes.map((note) => context.entry(note).state)).toEqual(["unchanged", "unchanged"]);
    expect(await context.saveChanges()).toEqual([]);
  },
);

test("misspelt hooks and options are refused", async () => {
  const { storage } = await open();
  const { TableContext: Context } = await import("../../../src/index.ts");

  expect(codeOf(() => new Context(storage, { hooks: { sent: () => undefined } as never }))).toBe(
    "context.option",
  );
  expect(codeOf(() => new Context(storage, { tracking: "manual" as never }))).toBe("context.option");
  expect(codeOf(() => new Context(storage, { requestBudget: 0 }))).toBe("context.option");
  expect(codeOf(() => new Context(storage, { retry: { attempts: 0, delayMs: 0 } }))).toBe("context.option");
});

test("requests and saves are traced, without keys or values", async () => {
  const store = await seeded(open);
  const events: { name: string; event: Record<string, unknown> }[] = [];
  const names = ["partita:request", "partita:save"].flatMap((name) =>
    ["start", "asyncEnd", "error"].map((phase) => `tracing:${name}:${phase}`),
  );
  const listener = (event: unknown, name: string | symbol): void =>
    void events.push({ name: String(name), event: { ...(event as object) } });
  for (const name of names) channel(name).subscribe(listener);
  try {
    const context = contextOf(store);
    const note = await read(context);
    note.title = "SECRET-VALUE";
    await context.saveChanges();
    context.create(Note, { book: "b", id: "1-SECRET-KEY", title: "SECRET-VALUE" });
    store.plan = () => "refused";
    await context.saveChanges().catch((error: SaveError) => error);
  } finally {
    for (const name of names) channel(name).unsubscribe(listener);
  }

  const starts = events.filter(({ name }) => name === "tracing:partita:request:start");
  expect(starts.map(({ event }) => (event as unknown as SentRequest).type)).toEqual([
    "get",
    "write",
    "write",
    "write",
    "write",
  ]);
  expect(starts[0]?.event).toMatchObject({
    table: "Notes",
    operations: 0,
    attempt: 1,
    storage: expect.any(String) as string,
  });
  expect(
    events.filter(({ name }) => name === "tracing:partita:save:start").map(({ event }) => event["pending"]),
  ).toEqual([1, 1]);
  expect(events.some(({ name }) => name === "tracing:partita:save:error")).toBe(true);
  expect(JSON.stringify(events.filter(({ name }) => !name.endsWith(":error")))).not.toMatch(/SECRET/);
  expect(JSON.stringify(events)).not.toMatch(/SECRET-VALUE/);
});

test("what a saving hook adds is saved along, with only, modify and updateAll too", async () => {
  const store = await seeded(open, 2);
  let n = 0;
  const context = contextOf(store, {
    hooks: {
      saving: (entity, _state, saving) => {
        const note = entity as Note;
        if (note.book === "b")
          saving.add(
            new Note({
              ...keyOf(`log-${n++}`, "logs"),
              title: saving.entry(note).changedProperties.join(),
            }),
          );
      },
    },
  });
  const note = await read(context);
  note.title = "edited";
  await context.saveChanges({ only: [note] });
  await context.modify(Note, keyOf(), (one) => void one.pages++);
  await context
    .query(Note)
    .where({ book: "b" })
    .updateAll((one) => void (one.weight = 1.5));

  const logs = await contextOf(store).query(Note).where({ book: "logs" }).toArray();
  expect(logs.map((log) => log.title)).toEqual(["title", "pages", "weight", "weight"]);
  expect(context.pendingChanges()).toEqual([]);
});

test("hooks may be methods of a class: a save of their own context from inside one is refused", async () => {
  const store = await seeded(open);
  const codes: string[] = [];
  class Hooks {
    async saving(_entity: object): Promise<void> {
      await context.saveChanges().catch((error: StateError) => codes.push(error.code));
    }
  }
  const context: TableContext = contextOf(store, { hooks: new Hooks() });
  (await read(context)).pages = 5;
  await context.saveChanges();

  expect(codes).toEqual(["context.reentrant-save"]);
});

test("hooks are those that a context was made with: one that is assigned later is not called", async () => {
  const store = await seeded(open);
  const hooks: { saving?: () => Promise<void> } = {};
  const context = contextOf(store, { hooks });
  hooks.saving = async () => void (await context.saveChanges());
  const [note] = await context.query(Note).where({ book: "b" }).toArray();
  (note as Note).pages = 99;

  expect(await context.saveChanges()).toMatchObject([{ outcome: "committed" }]);
});
