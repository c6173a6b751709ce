import type { TableContext, TableStorage } from "@partita/core";
import type { EntityDeclaration } from "@partita/core/models";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  baseOf,
  classesOf,
  decorated,
  kindOf,
  type Note,
  type NoteClass,
  valuesOf,
} from "../src/copied-classes.ts";
import { type Copies, type Copy, loadCopies } from "../src/copies.ts";

// A program with the packages in its node_modules, and once more in the bundle of a library.

let copies: Copies;
beforeAll(async () => {
  copies = await loadCopies();
});
afterAll(() => copies[Symbol.asyncDispose]());

type Which = "installed" | "bundled";
const both: readonly Which[] = ["installed", "bundled"];
const forms = ["defineEntity", "defineKind", "decorators"] as const;
const combinations = both.flatMap((context) =>
  both.flatMap((storage) =>
    both.flatMap((entity) => forms.map((form) => ({ context, storage, class: entity, form }))),
  ),
);

/** What one cell works with. */
interface Cell {
  readonly storage: TableStorage;
  readonly Note: NoteClass;
  /** The copy of the contexts. */
  readonly own: Copy;
  readonly open: () => TableContext;
  /** Adds a note to a context; its values are of the class's copy. */
  readonly add: (context: TableContext, id: number, values?: Partial<Note>) => Note;
}

const key = (id: number): object => ({ book: "b", id });

/** The error of work that has to fail: one for every copy, under its own name. */
async function failure(
  work: Promise<unknown>,
  className: "SaveError" | "StorageError",
): Promise<SaveFailure> {
  const error = (await work.then(
    () => expect.unreachable("It was not refused."),
    (caught: unknown) => caught,
  )) as SaveFailure;
  expectClass(error, className);
  return error;
}

interface SaveFailure extends Error {
  readonly code: string;
  readonly results: readonly {
    readonly outcome: string;
    readonly error?: Error & { readonly code: string };
  }[];
}

function expectClass(error: unknown, name: "SaveError" | "StorageError" | "ConflictError"): void {
  expect((error as Error).name).toBe(name);
  for (const which of both) {
    const { [name]: ours, TableError, QueryError } = copies[which].core;
    expect(error instanceof ours).toBe(true);
    expect(error instanceof TableError).toBe(true);
    expect(error instanceof QueryError).toBe(false);
  }
}

/** The conflict that rejected the one change of a save. */
async function conflictOf(work: Promise<unknown>): Promise<string> {
  const { results } = await failure(work, "SaveError");
  expect(results.map(({ outcome }) => outcome)).toEqual(["rejected"]);
  expectClass(results[0]?.error, "ConflictError");
  return results[0]?.error?.code ?? "";
}

async function stored({ open, add }: Cell, ...ids: readonly number[]): Promise<void> {
  const context = open();
  for (const id of ids) add(context, id);
  await context.saveChanges();
}

const operations: Readonly<Record<string, (cell: Cell) => Promise<void>>> = {
  async "what is inserted is found, with the values of every type"(cell) {
    const { open, Note } = cell;
    await stored(cell, 1, 2);

    const found = await open().findMany(Note, [key(1), key(2)]);

    expect(found.map((note) => plain(note))).toEqual(
      [1, 2].map((n) => plain({ ...key(n), ...valuesOf(copies.installed, n) })),
    );
    expect(found.every((note) => note instanceof Note)).toBe(true);
  },
  async "an insert over a row with equal values is a conflict"(cell) {
    await stored(cell, 1);
    const context = cell.open();
    cell.add(context, 1);

    expect(await conflictOf(context.saveChanges())).toBe("conflict.exists");
  },
  async "an insert over a row with other values is a conflict"(cell) {
    await stored(cell, 1);
    const context = cell.open();
    cell.add(context, 1, { title: "another" });

    expect(await conflictOf(context.saveChanges())).toBe("conflict.exists");
  },
  async "a transaction in which one key is taken says which, and stores nothing"(cell) {
    await stored(cell, 2);
    const context = cell.open();
    for (const id of [1, 2, 3]) cell.add(context, id, { mail: `other${id}` });

    const { results } = await failure(context.saveChanges(), "SaveError");

    expect(results.map(({ outcome }) => outcome)).toEqual(["rejected", "rejected", "rejected"]);
    expectClass(results[1]?.error, "ConflictError");
    expect(await cell.open().find(cell.Note, key(1))).toBeUndefined();
  },
  async "a value that is unique and taken is a conflict"(cell) {
    await stored(cell, 1);
    const context = cell.open();
    cell.add(context, 2, { mail: "m1@example.org" });

    expect(await conflictOf(context.saveChanges())).toBe("conflict.unique");
  },
  async "nothing is changed until a property is, and then that property is saved"(cell) {
    await stored(cell, 1, 2);
    const context = cell.open();
    const notes = await context
      .query(cell.Note)
      .where({ book: "b" } as never)
      .toArray();
    expect(await context.saveChanges()).toEqual([]);
    for (const note of notes) Object.assign(note, { bytes: new Uint8Array([1]), later: 5 });

    const results = await context.saveChanges();

    expect(results.map(({ outcome }) => outcome)).toEqual(["committed", "committed"]);
    const again = await cell.open().find(cell.Note, key(2));
    expect([again?.later, again?.bytes, again?.title]).toEqual([5, new Uint8Array([1]), "t2"]);
  },
  async "an entity that another context changed meanwhile is a conflict, which is resolved"(cell) {
    await stored(cell, 1);
    const [late, early] = [cell.open(), cell.open()];
    const [note, same] = [await late.find(cell.Note, key(1)), await early.find(cell.Note, key(1))];
    Object.assign(same as Note, { pages: 7 });
    await early.saveChanges();
    Object.assign(note as Note, { title: "late" });

    expect(await conflictOf(late.saveChanges())).toBe("conflict.etag");
    await late.resolveConflict(note as Note, "mine");
    await late.saveChanges();

    const merged = await cell.open().find(cell.Note, key(1));
    expect([merged?.title, merged?.pages]).toEqual(["late", 7]);
  },
  async "an entity that another context removed meanwhile is a conflict"(cell) {
    await stored(cell, 1);
    const context = cell.open();
    const note = (await context.find(cell.Note, key(1))) as Note;
    await cell.storage.write("Notes", {
      type: "delete",
      key: { partitionKey: "b", rowKey: "N:0001" },
      etag: "*",
    });
    note.later = 3;

    expect(await conflictOf(context.saveChanges())).toBe("conflict.missing");
  },
  async "an upsert and a modify are saved"(cell) {
    await stored(cell, 1);
    const context = cell.open();
    const [other] = [
      Object.assign(new (cell.Note as new () => Note)(), key(1), valuesOf(copies.bundled, 1), {
        title: "upserted",
      }),
    ];
    context.upsert(other, "replace");
    await context.saveChanges();

    await cell.open().modify(cell.Note, key(1), (note) => void (note.pages += 10));

    const found = await cell.open().find(cell.Note, key(1));
    expect([found?.title, found?.pages]).toEqual(["upserted", 11]);
  },
  async "a removal removes, with its row of the index"(cell) {
    await stored(cell, 1);
    const context = cell.open();
    context.remove((await context.find(cell.Note, key(1))) as Note);
    await context.saveChanges();
    cell.add(context, 2, { mail: "m1@example.org" });

    await context.saveChanges();

    expect(await cell.open().find(cell.Note, key(1))).toBeUndefined();
  },
  async "conditions and filters of both copies find rows"(cell) {
    await stored(cell, 1, 2, 3);
    const context = cell.open();
    const query = context.query(cell.Note).where({ book: "b" } as never);

    for (const which of both) {
      const { odata, Ticks } = copies[which].core;
      const second = Ticks.parse("2013-08-02T17:37:43.9004342Z");
      const byFilter = await query.filter(odata`exact eq ${second} and at gt ${new Date(0)}`).toArray();
      const byCondition = await query.where(((note: never) => compare(note, second)) as never).toArray();
      expect(byFilter.map(({ id }) => id)).toEqual([2]);
      expect(byCondition.map(({ id }) => id)).toEqual([2]);
    }
  },
  async "bulk changes reach each row"(cell) {
    await stored(cell, 1, 2, 3);
    const query = cell
      .open()
      .query(cell.Note)
      .where({ book: "b" } as never);

    await query.updateAll(((note: Note) => void (note.pages = 9)) as never);
    const { saved } = (await query.removeAll()) as unknown as { readonly saved?: number };

    expect(saved ?? 3).toBe(3);
    expect(await query.count()).toBe(0);
  },
  async "a table that is there is no error, and one that is missing is one"(cell) {
    await cell.own.core.createTables(cell.storage, [cell.Note]);
    await cell.storage.deleteTable("Notes");

    const error = await failure(cell.open().find(cell.Note, key(1)), "StorageError");

    expect(error.code).toBe("storage.table-not-found");
  },
  async "a value of a wrong type stops the save before it is sent"(cell) {
    const context = cell.open();
    cell.add(context, 1, { at: "yesterday" as unknown as Date });

    const { code } = await failure(context.saveChanges(), "SaveError");

    expect(code).toBe("save.invalid");
  },
};

const compare = (note: never, second: unknown): unknown =>
  (note as { exact: { eq: (value: unknown) => unknown } }).exact.eq(second);

/** A note without its class, and with what compares by reference as text. */
const plain = (note: object | undefined): object =>
  Object.fromEntries(
    Object.entries(note ?? {})
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, ["exact", "link"].includes(name) ? String(value) : (value as unknown)]),
  );

describe.each(combinations)(
  "a context of the $context copy, a storage of the $storage copy, a class of the $class copy by $form",
  (combination) => {
    const setUp = async (): Promise<Cell> => {
      const own = copies[combination.context];
      const storage = await copies[combination.storage].core.openStorage("memory:");
      const ofClass = copies[combination.class];
      const Note = (classesOf(ofClass)[combination.form] as () => NoteClass)();
      await own.core.createTables(storage, [Note]);
      const add: Cell["add"] = (context, id, values) =>
        context.create(Note, { ...key(id), ...valuesOf(ofClass, id), ...values } as never);
      return { storage, Note, own, open: () => new own.core.TableContext(storage), add };
    };

    test.each(Object.entries(operations))("%s", async (_name, operation) => {
      expect.hasAssertions();
      const cell = await setUp();
      await using _storage = cell.storage;
      await operation(cell);
    });
  },
);

const pairs = [
  ["installed", "bundled"],
  ["bundled", "installed"],
] as const;

describe.each(pairs)("with objects of the %s and of the %s copy", (first, second) => {
  let [one, other]: Copy[] = [];
  let storage: TableStorage;
  beforeAll(async () => {
    [one, other] = [copies[first], copies[second]];
    storage = await one.core.openStorage("memory:");
  });
  afterAll(() => storage.close());
  const use = (): { readonly one: Copy; readonly other: Copy } => ({
    one: one as Copy,
    other: other as Copy,
  });

  test.each(["a kind of a base", "a class of a kind", "decorators of fields and of a class"])(
    "%s of the other copy is an entity of both",
    async (what) => {
      const { one, other } = use();
      const Note =
        what === "a kind of a base"
          ? kindOf(one, baseOf(other))
          : what === "a class of a kind"
            ? (class extends kindOf(one, baseOf(one)) {} as NoteClass)
            : decorated(one, other.decorators);

      for (const { core } of [one, other]) {
        await using own = await core.openStorage("memory:");
        await core.createTables(own, [Note]);
        const context = new core.TableContext(own);
        context.create(Note, { ...key(1), ...valuesOf(one, 1) } as never);
        await context.saveChanges();
        const found = await new core.TableContext(own)
          .query(Note)
          .where({ book: "b" } as never)
          .toArray();
        expect(found.map((note) => plain(note))).toEqual([plain({ ...key(1), ...valuesOf(one, 1) })]);
      }
    },
  );

  test("kinds of both copies below one base are kinds of one table, for both", () => {
    const { one, other } = use();
    const Paper = baseOf(one);
    for (const copy of [one, other]) kindOf(copy, Paper);

    for (const { core } of [one, other])
      expect(() => new core.TableContext(storage).query(Paper)).toThrow(
        expect.objectContaining({
          code: "model.kind-twice",
          message: expect.stringMatching(/^Note and Note are both the kind "Note" of table Notes/) as string,
        }),
      );
  });

  test("what upgrades of the other copy lead to is read and written", async () => {
    const { one, other } = use();
    const declaration = (version: never, properties: object): EntityDeclaration =>
      ({
        table: "Orders",
        partitionKey: { shop: one.core.text() },
        rowKey: { id: one.core.text() },
        properties,
        version,
      }) as unknown as EntityDeclaration;
    const chain = other.upgrades
      .upgrades({ Qty: other.core.int32() })
      .to(2, other.upgrades.rename("Qty", "Count"), other.upgrades.add("State", other.core.text(), "new"));
    class Order extends one.core.defineEntity(
      declaration(chain as never, {
        count: one.core.int32().named("Count"),
        state: one.core.text().named("State"),
      }),
    ) {}
    await storage.createTable("Orders");
    await storage.write("Orders", { type: "insert", entity: { PartitionKey: "s", RowKey: "1", Qty: 3 } });

    for (const { core } of [one, other]) {
      const context = new core.TableContext(storage);
      const [found] = await context
        .query(Order as unknown as NoteClass)
        .where(((o: never) => three(o)) as never)
        .scan()
        .toArray();
      expect(found).toMatchObject({ count: 3, state: "new" });
    }
  });

  test("messages of an outbox, tasks and workflows are handled by a worker of the other copy", async () => {
    const { one, other } = use();
    const Note = decorated(one, one.decorators);
    await one.core.createTables(storage, [Note]);
    const queues = one.queues.tableQueues(storage);
    const handled: string[] = [];
    const ship = one.workflows.defineTask("ship", ({ id }: { id: string }) => void handled.push(id), {
      queue: "orders",
    });
    const greet = one.workflows.defineWorkflow("greet", async (step, { id }: { id: string }) => {
      handled.push(await step.run("say", () => id));
    });
    const context = new one.core.TableContext(storage);
    const note = context.create(Note, { ...key(1), ...valuesOf(one, 1) } as never) as object;
    other.workflows.outbox(context, queues).send(note, ship, { id: "by outbox" });
    await context.saveChanges();
    await ship.send(queues, { id: "by task" });
    await greet.start(queues, { id: "by workflow" });

    await using worker = other.workflows.startWorker({ storage, queues, tasks: [ship], workflows: [greet] });
    await worker.idle();

    expect(handled.toSorted()).toEqual(["by outbox", "by task", "by workflow"]);
  });

  test("a message that is not there any more is the same error for both", async () => {
    const { one } = use();
    const queues = one.queues.tableQueues(storage);
    await queues.createQueue("gone");
    await queues.put("gone", "text");
    const [message] = await queues.receive("gone", { visibilityMs: 1000 });
    await queues.remove("gone", message as never);

    const error = await failure(queues.remove("gone", message as never), "StorageError");

    expect(error.code).toBe("storage.message-not-found");
  });

  test("files are written, found and refused", async () => {
    const { one, other } = use();
    const files = other.files.tableFiles(storage, { name: "Docs" });
    await files.write("/a", "first");
    await files.write("/a", "second");

    expect(await (await one.files.tableFiles(storage, { name: "Docs" }).open("/a"))?.text()).toBe("second");
    await expect(files.create("a b\0")).rejects.toBeInstanceOf(one.files.FileError);
  });

  test("rows are copied between storages of both, and written where they are missing", async () => {
    const { one, other } = use();
    const Note = decorated(one, one.decorators);
    await using from = await one.core.openStorage("memory:");
    await using to = await other.core.openStorage("memory:");
    await one.core.createTables(from, [Note]);
    const context = new one.core.TableContext(from);
    for (const id of [1, 2]) context.create(Note, { ...key(id), ...valuesOf(one, id) } as never);
    await context.saveChanges();

    await other.transfer.copyTable(from, to, "Notes");

    expect(
      await new one.core.TableContext(to)
        .query(Note)
        .where({ book: "b" } as never)
        .count(),
    ).toBe(2);
  });

  test("a validator of the other copy judges entities, and patterns of it the plans of queries", async () => {
    const { one, other } = use();
    const Note = decorated(one, one.decorators);
    await one.core.createTables(storage, [Note]);
    const refuses = {
      "~standard": {
        version: 1,
        vendor: "own",
        validate: () => ({ issues: [{ message: "No.", path: ["title"] }] }),
      },
    };
    const ofBook = other.patterns.pattern(Note, {}, (query) => query.where({ book: "b" } as never), {
      atMost: "partition scan",
    });
    const patterns = other.patterns.definePatterns({ ofBook });
    const validate = other.core.standardSchema(Note, refuses as never);
    const context = new one.core.TableContext(storage, { validate, patterns, unknownPattern: "error" });
    context.create(Note, { ...key(9), ...valuesOf(one, 9) } as never);

    const { code } = await failure(context.saveChanges(), "SaveError");

    expect(code).toBe("save.invalid");
    expect(await (patterns.ofBook.query(context, {}) as { count(): Promise<number> }).count()).toBe(1);
    await expect(
      context
        .query(Note)
        .where({ book: "b", id: 9 } as never)
        .toArray(),
    ).rejects.toMatchObject({
      code: "pattern.unknown",
    });
  });
});

const three = (order: never): unknown => (order as { count: { eq: (n: number) => unknown } }).count.eq(3);

describe("in a bundle", () => {
  const isError = (value: unknown): boolean =>
    typeof value === "function" && value.prototype instanceof copies.installed.core.TableError;

  test.each(["bundled", "minified"] as const)("each error has the name of its class: %s", (which) => {
    const { core, files, workflows } = copies[which];
    const classes = Object.entries({ ...core, ...files, ...workflows }).filter(([, value]) => isError(value));

    expect(classes.length).toBeGreaterThan(14);
    for (const [name, errorClass] of classes)
      expect((errorClass as { readonly name: string }).name).toBe(name);
    expect(String(core.StorageError)).not.toMatch(/^class StorageError\b/);
  });

  test("an error of a minified copy is one of the others", () => {
    const error: unknown = copies.minified.core.StorageError.ofService("ServerBusy");

    expect(error instanceof copies.installed.core.StorageError).toBe(true);
    expectClass(error, "StorageError");
  });
});

describe("a copy whose contract differs", () => {
  const refused = (what: RegExp, made: string, given: string): object => ({
    code: "package.second-copy",
    message: expect.stringMatching(
      new RegExp(
        `^${what.source} cannot be used here\\. It was made by another copy of @partita/core \\(${made}\\) than the one that received it \\(${given}\\), and their versions are not compatible\\. Install one version for both\\. See https://\\S+$`,
      ),
    ) as string,
  });

  test("does its own work beside the others", async () => {
    const { core } = copies.unfit;
    await using storage = await core.openStorage("memory:");
    const Note = decorated(copies.unfit, copies.unfit.decorators);
    await core.createTables(storage, [Note]);
    const context = new core.TableContext(storage);
    context.create(Note, { ...key(1), ...valuesOf(copies.unfit, 1) } as never);
    await context.saveChanges();
    context.clear();
    context.create(Note, { ...key(1), ...valuesOf(copies.unfit, 1) } as never);

    await expect(context.saveChanges()).rejects.toBeInstanceOf(core.SaveError);
    await expect(context.saveChanges()).rejects.not.toBeInstanceOf(copies.installed.core.SaveError);
  });

  test.each(forms)("its class by %s is named with both files", async (form) => {
    const { core } = copies.installed;
    await using storage = await core.openStorage("memory:");
    const Note = (classesOf(copies.unfit)[form] as () => NoteClass)();

    expect(() => new core.TableContext(storage).query(Note)).toThrow(
      expect.objectContaining(refused(/The class Note/, copies.urls.unfit, "file://\\S+")),
    );
  });

  test("its storage is named with both files, in both directions", async () => {
    await using storage = await copies.unfit.core.openStorage("memory:");
    await using own = await copies.bundled.core.openStorage("memory:");

    expect(() => new copies.bundled.core.TableContext(storage)).toThrow(
      expect.objectContaining(refused(/The storage/, copies.urls.unfit, copies.urls.bundled)),
    );
    expect(() => new copies.unfit.core.TableContext(own)).toThrow(
      expect.objectContaining(refused(/The storage/, copies.urls.bundled, copies.urls.unfit)),
    );
  });

  test("its queues, its contexts and its filters are named with both files", async () => {
    const { core, queues, workflows } = copies.bundled;
    await using unfit = await copies.unfit.core.openStorage("memory:");
    await using storage = await core.openStorage("memory:");
    const filter = copies.unfit.core.odata`a eq ${1}`;
    const task = workflows.defineTask("ship", () => undefined, { queue: "orders" });
    const unfitQueues = copies.unfit.queues.tableQueues(unfit);
    const { unfit: made, bundled: given } = copies.urls;

    expect(() => workflows.startWorker({ storage, queues: unfitQueues, tasks: [task] })).toThrow(
      expect.objectContaining(refused(/The storage of queues/, made, given)),
    );
    expect(() =>
      workflows.startWorker({ storage: unfit, queues: queues.tableQueues(storage), tasks: [task] }),
    ).toThrow(expect.objectContaining(refused(/The storage/, made, given)));
    expect(() => queues.tableQueues(unfit)).toThrow(
      expect.objectContaining(refused(/The storage/, made, given)),
    );
    expect(() =>
      new core.TableContext(storage)
        .query(decorated(copies.bundled, copies.bundled.decorators))
        .filter(filter),
    ).toThrow(expect.objectContaining(refused(/The filter/, made, given)));
    expect(() =>
      workflows
        .outbox(new copies.unfit.core.TableContext(unfit), queues.tableQueues(storage))
        .send({}, task, undefined),
    ).toThrow(expect.objectContaining(refused(/The context/, made, given)));
  });
});
