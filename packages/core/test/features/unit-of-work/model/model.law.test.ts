import { isFull } from "@partita/test-support/effort";
import { type Fault, type FaultyStorage, virtualClock, withFaults } from "@partita/testing";
import { fc } from "@fast-check/vitest";
import { seedOf } from "@partita/test-support/seed";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  createTables,
  defineEntity,
  int32,
  type MergeOption,
  openStorage,
  type SaveError,
  StorageError,
  TableContext,
  type TableStorage,
  text,
} from "../../../../src/index.ts";
import { fixed } from "../../../../src/rest.ts";
import { ReferenceContext } from "./reference-context.ts";
import { type Entry, type Name, names, type SaveSettings } from "./reference-entry.ts";
import { ReferenceStore, type Values } from "./reference-store.ts";

class Item extends defineEntity({
  table: "Items",
  partitionKey: { part: text() },
  rowKey: { id: text() },
  properties: { p: int32().optional(), q: int32().optional(), r: int32().optional() },
}) {}

/** Two partitions of two and three rows. */
const keys = ["a1", "a2", "a3", "b1", "b2"] as const;
const key = fc.constantFrom(...keys);
const context = fc.constantFrom(0, 1);
const value = fc.integer({ min: 1, max: 3 });
const values = fc.record({ p: value, q: value, r: value }, { requiredKeys: [] });
const merge = fc.constantFrom("appendOnly", "preserveChanges", "overwriteChanges" as const);
const fault = fc.constantFrom<Fault | undefined>(
  undefined,
  undefined,
  "refused",
  "throttled",
  "reset-before",
  "reset-after",
  "timeout-before",
  "timeout-after",
  "error-after",
  "truncated-after",
  "busy-before",
);

/** One after another, or as many as a change has tries. */
const faults = fc.oneof(
  { weight: 4, arbitrary: fc.array(fault, { maxLength: 5 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Fault[]>(
      ["reset-before", "timeout-before", "error-before"],
      ["reset-after", "refused", "refused"],
    ),
  },
);

/** Sometimes no read is answered. */
const readsFail = fc.integer({ min: 0, max: 7 }).map((n) => n === 7);

const command = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("outside"),
      key,
      values: fc.record({ p: value, q: value, x: value }, { requiredKeys: [] }),
      how: fc.constantFrom("upsert-merge", "upsert-replace", "delete"),
    }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("add"), context, key, values }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("addBack"), context, key }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("find"), context, key, readsFail }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("query"),
      context,
      part: fc.constantFrom("a", "b"),
      merge,
      readsFail,
      select: fc.option(fc.uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 2 }), {
        nil: undefined,
      }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant("set"),
      context,
      key,
      name: fc.constantFrom(...names),
      value: fc.option(value, { nil: undefined }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("update"), context, key }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("remove"), context, key }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("upsert"),
      context,
      key,
      values,
      mode: fc.constantFrom("merge", "replace" as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("attach"), context, key, values }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("detach"), context, key }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("discard"), context, key }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant("reload"), context, key, keepsEdits: fc.boolean(), readsFail }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant("save"),
      context,
      isBatched: fc.boolean(),
      faults,
      removeMissing: fc.constantFrom("conflict", "conflict", "ignore", "error" as const),
      readsFail,
      only: fc.option(fc.uniqueArray(key, { minLength: 1, maxLength: 3 }), { freq: 4, nil: undefined }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant("pass"), ms: fc.constantFrom(30_000, 61_000) }),
  },
) as fc.Arbitrary<Command>;

type Command =
  | { type: "outside"; key: string; values: Values; how: "upsert-merge" | "upsert-replace" | "delete" }
  | { type: "add" | "attach"; context: number; key: string; values: Values }
  | { type: "pass"; ms: number }
  | { type: "find"; context: number; key: string; readsFail?: boolean }
  | { type: "addBack" | "update" | "remove" | "detach" | "discard"; context: number; key: string }
  | {
      type: "query";
      context: number;
      part: string;
      merge: Exclude<MergeOption, "noTracking">;
      select?: Name[];
      readsFail?: boolean;
    }
  | { type: "set"; context: number; key: string; name: Name; value?: number }
  | { type: "upsert"; context: number; key: string; values: Values; mode: "merge" | "replace" }
  | { type: "reload"; context: number; key: string; keepsEdits: boolean; readsFail?: boolean }
  | ({
      type: "save";
      context: number;
      isBatched: boolean;
      faults: (Fault | undefined)[];
    } & Partial<SaveSettings>);

let inner: TableStorage;
let runs = 0;
beforeAll(async () => {
  inner = await openStorage("memory:", { durability: "normal" });
  await createTables(inner, [Item]);
});
afterAll(() => inner.close());

/** One run: the library and the model, side by side. */
class Run {
  readonly #prefix = `${runs++}-`;
  readonly #store = new ReferenceStore();
  readonly #clock = virtualClock();
  readonly #models = [0, 1].map(() => new ReferenceContext(this.#store, () => this.#clock.now()));
  readonly #storage: FaultyStorage;
  readonly #contexts: readonly TableContext[];
  /** The library's entity of each of the model's entries. */
  readonly #entities = new Map<Entry, Item>();
  #faults: (Fault | undefined)[] = [];
  #readsFail = false;

  constructor() {
    this.#storage = withFaults(inner, ({ operations }) => {
      if (operations.length > 0) return this.#faults.shift();
      return this.#readsFail ? "reset-before" : undefined;
    });
    const options = { retry: fixed(3, 0), clock: this.#clock };
    this.#contexts = [0, 1].map(() => new TableContext(this.#storage, options));
  }

  async perform(command: Command): Promise<void> {
    if (command.type === "outside") return this.#outside(command);
    if (command.type === "pass") {
      this.#clock.advance(command.ms);
      return;
    }
    const library = this.#contexts[command.context] as TableContext;
    const model = this.#models[command.context] as ReferenceContext;
    if (command.type === "query") return this.#query(library, model, command);
    if (command.type === "save") return this.#save(library, model, command);
    const { key } = command;
    const entry = model.entries.get(key);
    switch (command.type) {
      case "add":
      case "upsert":
      case "attach": {
        const entity = new Item({ ...this.#keyOf(key), ...command.values });
        const call = (): unknown => {
          if ("mode" in command) return library.upsert(entity, command.mode);
          return command.type === "add" ? library.add(entity) : library.attach(entity, "*");
        };
        const made =
          "mode" in command
            ? model.upsert(key, command.values, command.mode)
            : model[command.type](key, command.values);
        if (made === undefined) expect(call).toThrow(/already tracked/);
        else {
          call();
          this.#entities.set(made, entity);
        }
        return;
      }
      case "find": {
        if (command.readsFail === true && model.mustRead(entry)) {
          await this.#expectFailure(() => library.find(Item, this.#keyOf(key)));
          return;
        }
        const found = await library.find(Item, this.#keyOf(key));
        if (entry === undefined) model.take(key, "appendOnly", names);
        else model.complete(entry);
        const now = model.entries.get(key);
        if (now === undefined || now.intent === "remove") expect(found).toBeUndefined();
        else if (entry === undefined) this.#entities.set(now, found as Item);
        else expect(found).toBe(this.#entities.get(now));
        return;
      }
      default:
    }
    if (entry === undefined) return;
    const entity = this.#entities.get(entry) as Item;
    switch (command.type) {
      case "addBack":
        if (entry.intent !== "remove") return;
        library.add(entity);
        model.addBack(entry);
        return;
      case "set":
        (entity as unknown as Record<string, unknown>)[command.name] = command.value;
        entry.values[command.name] = command.value;
        return;
      case "update":
        if (entry.intent === "remove") expect(() => library.update(entity)).toThrow(/does not apply/);
        else library.update(entity);
        if (entry.intent === "none") entry.isForced = true;
        return;
      case "remove":
        if (model.remove(entry)) library.remove(entity);
        else expect(() => library.remove(entity)).toThrow(/does not apply/);
        return;
      case "detach":
        expect(library.detach(entity)).toBe(true);
        model.forget(entry);
        return;
      case "discard":
        library.discard(entity);
        model.discard(entry);
        return;
      case "reload":
        if (command.readsFail === true) {
          await this.#expectFailure(() => library.reload(entity));
          return;
        }
        await library.reload(entity, {
          mergeOption: command.keepsEdits ? "preserveChanges" : "overwriteChanges",
        });
        model.reload(entry, command.keepsEdits);
        return;
      default:
    }
  }

  /** A read that fails changes nothing. */
  async #expectFailure(read: () => Promise<unknown>): Promise<void> {
    this.#readsFail = true;
    await expect(read()).rejects.toThrow(StorageError);
    this.#readsFail = false;
  }

  async #outside({ key, values, how }: Extract<Command, { type: "outside" }>): Promise<void> {
    const keys = this.#storedKeyOf(key);
    if (how === "delete") {
      if (this.#store.transact([{ type: "delete", key, values: {}, version: "*" }]) !== undefined) return;
      await inner.write("Items", {
        type: "delete",
        key: { partitionKey: keys.PartitionKey, rowKey: keys.RowKey },
        etag: "*",
      });
      return;
    }
    this.#store.transact([{ type: how, key, values }]);
    await inner.write("Items", { type: how, entity: { ...keys, ...values } });
  }

  async #query(
    library: TableContext,
    model: ReferenceContext,
    command: Extract<Command, { type: "query" }>,
  ): Promise<void> {
    const query = library
      .query(Item)
      .where({ part: this.#prefix + command.part })
      .mergeOption(command.merge);
    const { select } = command;
    if (command.readsFail === true) {
      await this.#expectFailure(() => query.toArray());
      return;
    }
    const found = (await (select === undefined ? query : query.select(...select)).toArray()) as Item[];
    const expected = keys.filter((key) => key.startsWith(command.part) && this.#store.rows.has(key));
    expect(found.map(({ id }) => id)).toEqual(expected);
    for (const [i, key] of expected.entries()) {
      const isNew = !model.entries.has(key);
      model.take(key, command.merge, select ?? names);
      const entry = model.entries.get(key) as Entry;
      if (isNew) {
        for (const name of names) entry.values[name] ??= undefined;
        this.#entities.set(entry, found[i] as Item);
      } else expect(found[i]).toBe(this.#entities.get(entry));
    }
  }

  async #save(
    library: TableContext,
    model: ReferenceContext,
    command: Extract<Command, { type: "save" }>,
  ): Promise<void> {
    const { isBatched, removeMissing = "conflict", readsFail: failing = false } = command;
    const only = command.only?.filter((key) => model.entries.has(key));
    const saved = only?.map((key) => this.#entities.get(model.entries.get(key) as Entry) as Item);
    const settings: SaveSettings = { isBatched, removeMissing, readsFail: failing, only };
    const expected = model.save([...command.faults], settings);
    this.#faults = [...command.faults];
    this.#readsFail = failing;
    const reported = await library
      .saveChanges({
        batch: isBatched ? "auto" : "none",
        concurrency: 1,
        removeMissing,
        ...(saved !== undefined && { only: saved }),
      })
      .catch((error: SaveError) => {
        if (error.code === "save.invalid") return "invalid" as const;
        if (error.code === "save.failed") return error.results;
        throw error;
      });
    this.#faults = [];
    this.#readsFail = false;
    const results =
      reported === "invalid"
        ? reported
        : reported.map(({ entity, outcome }) => ({ key: (entity as Item).id, outcome }));
    const sorted = (list: readonly { key: string; outcome: string }[]): unknown =>
      list.map(({ key, outcome }) => ({ key, outcome })).toSorted((a, b) => (a.key < b.key ? -1 : 1));
    expect(results === "invalid" ? results : sorted(results)).toEqual(
      expected === "invalid" ? expected : sorted(expected),
    );
  }

  looksOverwritten(context: number): boolean {
    return (this.#models[context] as ReferenceContext).looksOverwritten();
  }

  /** The library and the store are exactly where the model says. */
  async check(): Promise<void> {
    const stored = new Map<string, { values: unknown; etag: string }>();
    for (const part of ["a", "b"]) {
      const rows = await inner.query("Items", {
        filter: {
          op: "eq",
          name: "PartitionKey",
          literal: { edm: "Edm.String", value: this.#prefix + part },
        },
      });
      for (const { PartitionKey: _p, RowKey, Timestamp: _t, "odata.etag": etag, ...rest } of rows.entities)
        stored.set(RowKey, { values: rest, etag: etag as string });
    }
    expect(Object.fromEntries([...stored].map(([id, { values }]) => [id, values]))).toEqual(
      Object.fromEntries([...this.#store.rows].map(([id, row]) => [id, row.values])),
    );
    for (const [i, model] of this.#models.entries()) {
      const library = this.#contexts[i] as TableContext;
      expect(library.size).toBe(model.entries.size);
      for (const entry of model.entries.values()) {
        const entity = this.#entities.get(entry) as Item;
        const known = library.entry(entity);
        const isCurrent =
          this.#store.rows.get(entry.key)?.version === entry.version && entry.version !== undefined;
        expect({
          key: entry.key,
          state: known.state,
          stale: known.stale,
          exists: known.existsInStorage,
          inDoubt: known.inDoubt,
          values: { p: entity.p, q: entity.q, r: entity.r },
          isCurrent: known.etag !== undefined && known.etag === stored.get(entry.key)?.etag,
          isAny: known.etag === "*",
        }).toEqual({
          key: entry.key,
          state: model.stateOf(entry),
          stale: entry.isStale,
          exists: entry.exists,
          inDoubt: model.isInDoubt(entry),
          values: { p: entry.values.p, q: entry.values.q, r: entry.values.r },
          isCurrent,
          isAny: entry.version === "*",
        });
      }
    }
  }

  #keyOf(key: string): { part: string; id: string } {
    return { part: this.#prefix + key.slice(0, 1), id: key };
  }

  #storedKeyOf(key: string): { PartitionKey: string; RowKey: string } {
    return { PartitionKey: this.#prefix + key.slice(0, 1), RowKey: key };
  }
}

async function follow(commands: readonly Command[]): Promise<void> {
  const run = new Run();
  for (const one of commands) {
    // The library stores once more what a late request seems to have overwritten: that has tests of its own.
    if (one.type === "save" && run.looksOverwritten(one.context)) return;
    await run.perform(one);
    await run.check();
  }
}

test("a transaction in doubt is not proved by a row that its own entity has stored since", async () => {
  const b1 = { context: 0, key: "b1", name: "p", value: 1 } as const;
  const b2 = { key: "b2", name: "p", value: 3 } as const;
  const history: Command[] = [
    { type: "outside", key: "b1", values: {}, how: "upsert-merge" },
    { type: "outside", key: "b2", values: {}, how: "upsert-merge" },
    { type: "query", context: 0, part: "b", merge: "appendOnly" },
    { type: "set", ...b1 },
    { type: "set", context: 0, ...b2 },
    // Somebody else stores the very value, so the transaction of both is refused; and that answer is lost.
    { type: "outside", key: "b2", values: { p: 3 }, how: "upsert-merge" },
    {
      type: "save",
      context: 0,
      isBatched: true,
      faults: ["truncated-after", "reset-after", "timeout-before"],
    },
    // The first entity alone is stored, and its answer lost as well; the second one meets its conflict.
    { type: "save", context: 0, isBatched: false, faults: ["error-after"] },
  ];
  await expect(follow(history)).resolves.toBeUndefined();
});

test("what was added back meets that its row is gone", async () => {
  const a2 = { context: 0, key: "a2" } as const;
  const history: Command[] = [
    { type: "upsert", ...a2, values: { r: 1 }, mode: "merge" },
    { type: "save", context: 0, isBatched: false, faults: [] },
    { type: "remove", ...a2 },
    {
      type: "save",
      context: 0,
      isBatched: false,
      faults: ["reset-before", "timeout-before", "error-before"],
    },
    // Added back: what is known of it is sent again, to keep the removal out; that answer is lost as well.
    { type: "addBack", ...a2 },
    { type: "save", context: 0, isBatched: false, faults: ["timeout-after"] },
    { type: "outside", key: "a2", values: {}, how: "delete" },
    { type: "save", context: 0, isBatched: false, faults: [] },
  ];
  await expect(follow(history)).resolves.toBeUndefined();
});

const numRuns = Number(process.env["PARTITA_MODEL_RUNS"] ?? (isFull ? 700 : 250));
const seed = seedOf("PARTITA_MODEL_SEED", 2);

test(`${numRuns} random histories of two contexts, with faults, end where the reference model does`, async () => {
  const histories = fc.assert(fc.asyncProperty(fc.array(command, { maxLength: 60, size: "max" }), follow), {
    numRuns,
    seed,
  });
  await expect(histories).resolves.toBeUndefined();
});
