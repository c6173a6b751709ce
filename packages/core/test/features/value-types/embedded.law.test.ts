// Histories of one entity with embedded objects: edits, another writer, refusals and older rows. The law: what is stored
// is the flat form of what the program has, a merge sends the leaves that differ and no others, and reading gives the
// objects back.

import { isFull } from "@partita/test-support/effort";
import { fc } from "@fast-check/vitest";
import { lawParts } from "@partita/test-support/seed";
import { withFaults } from "@partita/testing";
import { expect, test } from "vitest";
import { createTables, defineEntity, int32, openStorage, TableContext, text } from "../../../src/index.ts";
import { embedded } from "../../../src/models.ts";
import { noRetry } from "../../../src/rest.ts";
import type { StoredEntity, TableStorage, WriteOperation } from "../../../src/storage.ts";
import { rename, upgrades } from "../../../src/upgrades.ts";

type Flat = Readonly<Record<string, unknown>>;
/** Values by leaf; an object that is there without any value has its own name. */
type Draft = Record<string, unknown>;

class Position {
  x?: number | undefined;
  y?: number | undefined;
}
class Address {
  street!: string;
  city?: string | undefined;
  position?: Position | undefined;
}
class Settings {
  theme?: string | undefined;
  size?: number | undefined;
}
/** It cannot be changed, only replaced. */
class Money {
  readonly amount: string;
  readonly currency: string | undefined;
  constructor(amount: string, currency: string | undefined) {
    this.amount = amount;
    this.currency = currency;
    Object.freeze(this);
  }
}

const address = embedded(Address, {
  street: text(),
  city: text().optional(),
  position: embedded(Position, { x: int32().optional(), y: int32().optional() }).optional(),
}).optional();
const settings = embedded(Settings, { theme: text().optional(), size: int32().optional() }).optional();
const price = embedded(
  Money,
  { amount: text(), currency: text().optional() },
  { create: ({ amount, currency }) => new Money(amount, currency) },
).optional();
const columns = {
  address_city: text().optional(),
  address_position_x: int32().optional(),
  address_position_y: int32().optional(),
  settings_theme: text().optional(),
  settings_size: int32().optional(),
  price_amount: text().optional(),
  price_currency: text().optional(),
  name: text(),
};

class Client extends defineEntity({
  table: "Clients",
  partitionKey: { tenant: text() },
  rowKey: { id: text() },
  properties: { name: text(), address, settings, price },
  version: upgrades({ ...columns, Street: text().optional() }).to(2, rename("Street", "address_street")),
}) {}

/** Required leaf, other leaves, and nested objects of each object. */
const objects = {
  address: { required: "street", leaves: { city: "Oslo" }, nested: { position: { x: 1, y: 2 } } },
  settings: { required: undefined, leaves: { theme: "dark", size: 1 }, nested: {} },
  price: { required: "amount", leaves: { currency: "NOK" }, nested: {} },
} as const;
type ObjectName = keyof typeof objects;
const classes = { address: Address, settings: Settings } as const;

const textValue = fc.constantFrom("", "a", "b", "Oslo");
const intValue = fc.constantFrom(0, 1, 2);
const maybe = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.option(value, { nil: undefined, freq: 3 });

/** Any values of an object that can be stored. */
const valuesOf: Readonly<Record<ObjectName, fc.Arbitrary<Draft>>> = {
  address: fc.record({
    street: textValue,
    city: maybe(textValue),
    position: maybe(fc.record({ x: maybe(intValue), y: maybe(intValue) })),
  }),
  settings: fc.record({ theme: maybe(textValue), size: maybe(intValue) }),
  price: fc.record({ amount: textValue, currency: maybe(textValue) }),
};

type Step =
  | {
      readonly type: "replace";
      readonly object: ObjectName;
      readonly values: Draft;
      readonly isPlain: boolean;
    }
  | { readonly type: "clear"; readonly object: ObjectName; readonly none: null | undefined }
  | { readonly type: "leaf"; readonly object: "address" | "settings"; readonly values: Draft }
  | { readonly type: "other"; readonly object: ObjectName; readonly values: Draft | undefined }
  | { readonly type: "save" | "refused" | "discard" | "reload" | "again" };

const objectName = fc.constantFrom<ObjectName>("address", "settings", "price");
const withValues = <Name extends ObjectName>(names: fc.Arbitrary<Name>) =>
  names.chain((object) => valuesOf[object].map((values) => ({ object, values })));

const step: fc.Arbitrary<Step> = fc.oneof(
  fc
    .tuple(withValues(objectName), fc.boolean())
    .map(([of, isPlain]) => ({ type: "replace", ...of, isPlain }) as const),
  fc
    .tuple(objectName, fc.constantFrom(null, undefined))
    .map(([object, none]) => ({ type: "clear", object, none }) as const),
  withValues(fc.constantFrom("address", "settings")).map((of) => ({ type: "leaf", ...of }) as const),
  fc
    .tuple(withValues(objectName), fc.boolean())
    .map(
      ([{ object, values }, isGone]) =>
        ({ type: "other", object, values: isGone ? undefined : values }) as const,
    ),
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      { type: "save" } as const,
      { type: "save" } as const,
      { type: "again" } as const,
    ),
  },
  fc.constantFrom({ type: "refused" } as const, { type: "discard" } as const, { type: "reload" } as const),
);

/** The columns of values; `undefined` members have none, and an object without any has its own. */
function flat(name: string, values: unknown): Flat {
  if (values === undefined || values === null) return {};
  if (typeof values !== "object") return { [name]: values };
  const leaves = Object.entries(values).reduce<Flat>(
    (all, [member, value]) => ({ ...all, ...flat(`${name}_${member}`, value) }),
    {},
  );
  return Object.keys(leaves).length === 0 ? { [name]: true } : leaves;
}

/** All of an entity, flat. */
const flatOf = (client: Client): Flat => ({
  name: client.name,
  ...flat("address", client.address),
  ...flat("settings", client.settings),
  ...flat("price", client.price),
});

const columnsOf = (row: StoredEntity | undefined): Draft =>
  Object.fromEntries(
    Object.entries(row ?? {}).filter(
      ([name]) => !/^(PartitionKey|RowKey|Timestamp|SchemaVersion)$/.test(name) && !name.includes("odata"),
    ),
  );

/** A column of an object may stay beside its leaves. */
function withoutSpareMarkers(row: Draft): Draft {
  const names = Object.keys(row);
  return Object.fromEntries(
    Object.entries(row).filter(
      ([name, value]) => value !== true || !names.some((other) => other.startsWith(`${name}_`)),
    ),
  );
}

class History implements AsyncDisposable {
  readonly #inner: TableStorage;
  readonly #storage: TableStorage;
  readonly #sent: WriteOperation[] = [];
  #isRefusing = false;
  #context: TableContext;
  #client!: Client;
  /** What the context knows to be stored. */
  #known: Flat = {};

  private constructor(inner: TableStorage) {
    this.#inner = inner;
    this.#storage = withFaults(inner, ({ operations }) => {
      this.#sent.push(...operations);
      return operations.length > 0 && this.#isRefusing ? "refused" : undefined;
    });
    this.#context = new TableContext(this.#storage, { retry: noRetry });
  }

  static async begin(first: StoredEntity): Promise<History> {
    const inner = await openStorage("memory:");
    await createTables(inner, [Client]);
    await inner.write("Clients", { type: "insert", entity: first });
    const history = new History(inner);
    await history.#read();
    return history;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#inner.close();
  }

  async perform(each: Step): Promise<void> {
    const client = this.#client as unknown as Record<string, object | null | undefined>;
    switch (each.type) {
      case "replace":
        client[each.object] = each.isPlain ? { ...each.values } : instanceOf(each.object, each.values);
        return;
      case "clear":
        client[each.object] = each.none;
        return;
      case "leaf": {
        const object = (client[each.object] ??= instanceOf(each.object, {})) as Draft;
        for (const [name, value] of Object.entries(each.values).slice(0, 2)) object[name] = value;
        return;
      }
      case "other":
        return this.#writeOther(each.object, each.values);
      case "save":
        return this.#save();
      case "refused":
        return this.#refuse();
      case "discard":
        this.#context.discard(this.#client);
        return this.#check("discarded");
      case "reload":
        await this.#context.reload(this.#client);
        return this.#checkStored();
      case "again":
        return this.#read();
      default:
        each satisfies never;
    }
  }

  async #read(): Promise<void> {
    this.#context = new TableContext(this.#storage, { retry: noRetry });
    const client = await this.#context.find(Client, { tenant: "t", id: "1" });
    if (client === undefined) throw new Error("The client was lost.");
    this.#client = client;
    await this.#checkStored();
    for (const [name, of] of Object.entries(classes)) {
      const object = client[name as keyof typeof classes];
      if (object !== undefined) expect(object).toBeInstanceOf(of);
    }
  }

  async #row(): Promise<Draft> {
    const row = columnsOf(await this.#inner.get("Clients", { partitionKey: "t", rowKey: "1" }));
    if ("Street" in row) {
      row["address_street"] = row["Street"];
      delete row["Street"];
    }
    return row;
  }

  async #checkStored(): Promise<void> {
    const row = withoutSpareMarkers(await this.#row());
    expect(flatOf(this.#client)).toEqual(row);
    this.#known = flatOf(this.#client);
  }

  #check(what: string): void {
    expect(flatOf(this.#client), what).toEqual(this.#known);
    expect(this.#context.entry(this.#client).state).toBe("unchanged");
  }

  /** Another program replaces or removes an object. */
  async #writeOther(object: ObjectName, values: Draft | undefined): Promise<void> {
    const context = new TableContext(this.#inner);
    const client = await context.find(Client, { tenant: "t", id: "1" });
    if (client === undefined) throw new Error("The client was lost.");
    Object.assign(client, { [object]: values });
    await context.saveChanges();
  }

  async #save(): Promise<void> {
    this.#sent.length = 0;
    const now = flatOf(this.#client);
    const isEdited = JSON.stringify(sorted(now)) !== JSON.stringify(sorted(this.#known));
    try {
      await this.#context.saveChanges();
    } catch (error) {
      expect(error).toMatchObject({ results: [{ error: { code: "conflict.etag" } }] });
      return this.#merge(now);
    }
    // Another program may have written the row since it was read.
    if (!isEdited) return expect(this.#sent).toEqual([]);
    for (const operation of this.#sent) this.#checkSent(operation, now);
    await this.#checkStored();
  }

  /** Another program wrote the row: both sides are merged, leaf by leaf. */
  async #merge(now: Flat): Promise<void> {
    await this.#context.resolveConflict(this.#client, "mine");
    const mine = Object.entries(changed(now, this.#known)).filter(([, value]) => value !== true);
    expect(flatOf(this.#client)).toMatchObject(Object.fromEntries(mine));
    for (const name of ["address", "settings", "price"] as const)
      if (hasObject(this.#known, name) && !hasObject(now, name))
        expect(this.#client[name] ?? undefined).toBe(undefined);
    if (isWhole(this.#client)) {
      await this.#context.saveChanges();
      return this.#checkStored();
    }
    // They removed an object of which this side has edited a leaf.
    const isRefused = { results: [{ error: { code: "property.required" } }] };
    await expect(this.#context.saveChanges()).rejects.toMatchObject(isRefused);
    return this.#read();
  }

  /** A merge has the leaves that differ and no others; where one is cleared, the row is replaced. */
  #checkSent(operation: WriteOperation, now: Flat): void {
    if (operation.type !== "merge") {
      expect(operation.type).toBe("replace");
      return;
    }
    const sent = columnsOf(operation.entity);
    expect(sent).toEqual(changed(now, this.#known));
  }

  async #refuse(): Promise<void> {
    const before = await this.#row();
    this.#isRefusing = true;
    await this.#context.saveChanges().catch(() => undefined);
    this.#isRefusing = false;
    expect(await this.#row()).toEqual(before);
  }
}

/** Whether each object that is there has its required leaf. */
const isWhole = ({ address: home, price: cost }: Client): boolean =>
  (home === undefined || home === null || home.street !== undefined) &&
  (cost === undefined || cost === null || cost.amount !== undefined);

/** Whether flat values have an object. */
const hasObject = (values: Flat, name: string): boolean =>
  Object.keys(values).some((each) => each === name || each.startsWith(`${name}_`));

/** Leaves that are new or have other values. */
const changed = (now: Flat, before: Flat): Flat =>
  Object.fromEntries(Object.entries(now).filter(([name, value]) => before[name] !== value));

const sorted = (row: Flat): [string, unknown][] =>
  Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1));

function instanceOf(name: ObjectName, values: Draft): object {
  if (name === "price")
    return new Money(values["amount"] as string, values["currency"] as string | undefined);
  const { position, ...own } = values;
  const made = Object.assign(new classes[name](), name === "address" ? { street: "" } : {}, own);
  return position === undefined
    ? made
    : Object.assign(made, { position: Object.assign(new Position(), position) });
}

/** A row of the present version, or of the first one. */
const firstRow = fc
  .tuple(maybe(valuesOf.address), maybe(valuesOf.settings), maybe(valuesOf.price), fc.boolean())
  .map(([home, look, cost, isOld]): StoredEntity => {
    const row: Draft = { ...flat("address", home), ...flat("settings", look), ...flat("price", cost) };
    if (isOld && row["address_street"] !== undefined) {
      row["Street"] = row["address_street"];
      delete row["address_street"];
    }
    const version = isOld ? {} : { SchemaVersion: 2 };
    return { PartitionKey: "t", RowKey: "1", ...version, name: "Ann", ...row } as StoredEntity;
  });

const numRuns = isFull ? 1200 : 800;

test.each(lawParts(numRuns, 8))("histories of embedded objects, part $part", async ({ options }) => {
  const law = fc.asyncProperty(
    firstRow,
    fc.array(step, { minLength: 1, maxLength: 12 }),
    async (first, steps) => {
      await using history = await History.begin(first);
      for (const each of steps) await history.perform(each);
    },
  );
  const { failed, counterexample, errorInstance } = await fc.check(law, options);

  expect(errorInstance).toBeNull();
  expect(failed, JSON.stringify(counterexample)).toBe(false);
});
