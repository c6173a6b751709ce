// Pairs of releases with one change each, as two releases of a program have it.

import {
  defineEntity,
  defineKind,
  double,
  type EntityClass,
  enumOf,
  int32,
  int64,
  text,
} from "@partita/core";
import { constant, month, newestFirst, padded, week } from "@partita/core/keys";
import { decimal, embedded } from "@partita/core/models";
import { retype, rename, upgrades } from "@partita/core/upgrades";
import type { ReleaseValues, SeenStatus } from "../../src/index.ts";

/** A change between two releases. */
export interface PairOfReleases {
  readonly change: string;
  readonly old: readonly EntityClass[];
  readonly new: readonly EntityClass[];
  readonly values?: ReleaseValues;
}

/** A change that loses something. */
export interface Planted extends PairOfReleases {
  /** What is found: the property, index or class, who reads it, what it sees, and the acts of the shortest history. */
  readonly found: readonly [
    subject: string,
    reader: "old" | "new",
    status: SeenStatus,
    acts: readonly string[],
  ];
}

type Declared = Parameters<typeof defineEntity>[0];

/** A class of notes, with what a release adds or changes. */
const note = (change: Partial<Declared> = {}): EntityClass => {
  const declared = {
    table: "Notes",
    partitionKey: { book: text() },
    rowKey: { id: text() },
    properties: { title: text() },
    ...change,
  } as Declared;
  return class Note extends (defineEntity(declared) as unknown as new () => object) {} as EntityClass;
};

/** Two releases of notes with other properties. */
const properties = (older: object, newer: object): Pick<PairOfReleases, "old" | "new"> => ({
  old: [note({ properties: older as never })],
  new: [note({ properties: newer as never })],
});

const byAge = (format: unknown, more: object = {}): Partial<Declared> =>
  ({
    properties: { title: text(), age: int32() },
    indexes: { byAge: { rowKey: { age: format }, ...more } },
  }) as never;

const people = (
  kinds: readonly (readonly [name: string, kind: string, options?: object])[],
  settings: object = {},
): readonly EntityClass[] => {
  class Person extends defineEntity({
    table: "People",
    partitionKey: { team: text() },
    rowKey: { id: text() },
    properties: { name: text() },
    ...settings,
  }) {}
  const declare = defineKind as unknown as (base: unknown, declared: object) => new () => object;
  const classes = kinds.map(([name, kind, options = {}]) => {
    const base = declare(Person, {
      kind: Object.keys(options).length === 0 ? kind : { name: kind, ...options },
    });
    return { [name]: class extends base {} }[name] as unknown as EntityClass;
  });
  return [Person, ...classes];
};

class Address {
  city = "";
  zip?: string | undefined;
}

const posts = (slice: unknown, name = "Post"): readonly EntityClass[] => {
  const declared = {
    table: "Posts",
    partitionKey: { channel: text(), postedOn: slice },
    rowKey: { postedOn: newestFirst },
    properties: { text: text() },
  } as unknown as Declared;
  return [
    { [name]: class extends (defineEntity(declared) as unknown as new () => object) {} }[name] as EntityClass,
  ];
};

const inserts = (release: "old" | "new"): string => `${release} inserts 1`;

/** One for each kind of change. */
export const planted: readonly Planted[] = [
  {
    change: "a renamed property without an upgrade",
    ...properties({ qty: int32().named("Qty") }, { qty: int32().named("Quantity") }),
    found: ["qty", "old", "unreadable", [inserts("new")]],
  },
  {
    change: "a rename without supports",
    old: [note({ properties: { qty: int32().named("Qty").optional() } as never })],
    new: [
      note({
        properties: { quantity: int32().named("Quantity").optional() } as never,
        version: upgrades({ Qty: int32().optional() }).to(2, rename("Qty", "Quantity")),
      } as never),
    ],
    found: ["qty", "old", "undefined", [inserts("new")]],
  },
  {
    change: "a retype without supports",
    old: [note({ properties: { price: text().named("Price").optional() } as never })],
    new: [
      note({
        properties: { cents: int32().named("Cents").optional() } as never,
        version: upgrades({ Price: text().optional() }).to(
          2,
          retype("Price", "Cents", int32().optional(), (price: string | undefined) =>
            price === undefined ? undefined : Math.round(Number(price) * 100),
          ),
        ),
      } as never),
    ],
    values: { Note: { price: ["12.50", "1.5", "3"] } },
    found: ["price", "old", "undefined", [inserts("new")]],
  },
  {
    change: "another EDM type under one name",
    ...properties({ weight: double() }, { weight: text() }),
    found: ["weight", "new", "unreadable", [inserts("old")]],
  },
  {
    change: "another scale of a decimal",
    ...properties({ price: decimal({ scale: 2 }) }, { price: decimal({ scale: 3 }) }),
    found: ["price", "new", "another value", [inserts("old")]],
  },
  {
    change: "a value of an enum that the old release does not know",
    ...properties({ state: enumOf(["open", "done"]) }, { state: enumOf(["open", "done", "archived"]) }),
    found: ["state", "old", "unreadable", [inserts("new")]],
  },
  {
    change: "a value of an enum that the new release no longer knows",
    ...properties({ state: enumOf(["open", "done", "archived"]) }, { state: enumOf(["open", "done"]) }),
    found: ["state", "new", "unreadable", [inserts("old")]],
  },
  {
    change: "a required property without a default",
    ...properties({ title: text() }, { title: text(), rating: int32() }),
    found: ["rating", "new", "unreadable", [inserts("old")]],
  },
  {
    change: "a required property that is removed",
    ...properties({ title: text(), rating: int32() }, { title: text() }),
    found: ["rating", "old", "unreadable", [inserts("new")]],
  },
  {
    change: "a required property that becomes optional",
    ...properties({ title: text() }, { title: text().optional() }),
    found: ["title", "old", "unreadable", [inserts("new")]],
  },
  {
    change: "a narrower type: Int64 to Int32",
    ...properties({ size: int64() }, { size: int32() }),
    found: ["size", "new", "unreadable", [inserts("old")]],
  },
  {
    change: "another separator",
    old: [note({ rowKey: { id: text(), part: text() } as never })],
    new: [note({ rowKey: { id: text(), part: text() } as never, separator: "|" } as never)],
    found: ["Note", "old", "key changed", [inserts("new")]],
  },
  {
    change: "another format of a key",
    old: [note({ rowKey: { n: padded(4) } as never })],
    new: [note({ rowKey: { n: padded(6) } as never })],
    found: ["Note", "old", "key changed", [inserts("new")]],
  },
  {
    change: "another part in the key",
    old: [note({ rowKey: { id: text() } as never })],
    new: [note({ rowKey: { id: text(), part: text() } as never })],
    found: ["Note", "new", "key changed", [inserts("old")]],
  },
  {
    change: "month slices that become week slices",
    old: posts(month),
    new: posts(week),
    found: ["Post", "old", "key changed", [inserts("new")]],
  },
  {
    change: "an index that is added without a mark",
    old: [note({ properties: { title: text(), age: int32() } as never })],
    new: [note(byAge(constant("AGE:", padded(4))))],
    found: ["byAge", "new", "not maintained", [inserts("old")]],
  },
  {
    change: "an index that is dropped while the old release reads it",
    old: [note(byAge(constant("AGE:", padded(4))))],
    new: [note({ properties: { title: text(), age: int32() } as never })],
    found: ["byAge", "old", "not maintained", [inserts("new")]],
  },
  {
    change: "another definition of an index",
    old: [note(byAge(constant("AGE:", padded(4))))],
    new: [note(byAge(constant("AGE:", padded(6))))],
    found: ["byAge", "old", "not maintained", [inserts("new")]],
  },
  {
    change: "an index that copies less",
    old: [note(byAge(constant("AGE:", padded(4))))],
    new: [note(byAge(constant("AGE:", padded(4)), { copy: ["age"] }))],
    found: ["byAge", "old", "not maintained", [inserts("new")]],
  },
  {
    change: "a unique value that is added",
    old: [note()],
    new: [
      note({
        indexes: { byTitle: { rowKey: { title: constant("T:", text() as never) }, unique: true } },
      } as never),
    ],
    found: ["byTitle", "new", "not enforced", ["new inserts 1", "old inserts 2"]],
  },
  {
    change: "another name of a kind",
    old: people([["Employee", "Employee"]]),
    new: people([["Employee", "Staff"]]),
    found: ["Employee", "old", "unknown kind", [inserts("new")]],
  },
  {
    change: "a kind that is added",
    old: people([["Employee", "Employee"]]),
    new: people([
      ["Employee", "Employee"],
      ["Guest", "Guest"],
    ]),
    found: ["Guest", "old", "unknown kind", [inserts("new")]],
  },
  {
    change: "a kind that is removed",
    old: people([
      ["Employee", "Employee"],
      ["Guest", "Guest"],
    ]),
    new: people([["Employee", "Employee"]]),
    found: ["Guest", "new", "unknown kind", [inserts("old")]],
  },
  {
    change: "a kind that moves into the key",
    old: people([["Employee", "Employee"]]),
    new: people([["Employee", "Employee", { key: "prefix" }]]),
    found: ["Employee", "old", "key changed", [inserts("new")]],
  },
  {
    change: "another property for the kind",
    old: people([["Employee", "Employee"]]),
    new: people([["Employee", "Employee"]], { kindProperty: "Type" }),
    found: ["Employee", "old", "unknown kind", [inserts("new")]],
  },
  {
    change: "text that becomes an enum",
    ...properties({ state: text() }, { state: enumOf(["open", "done"]) }),
    found: ["state", "new", "unreadable", [inserts("old")]],
  },
  {
    change: "an optional property that is required",
    ...properties({ title: text(), rating: int32().optional() }, { title: text(), rating: int32() }),
    found: ["rating", "new", "unreadable", [inserts("old")]],
  },
  {
    change: "a higher version without steps",
    old: [note({ version: 1 } as never)],
    new: [note({ version: 2 } as never)],
    found: ["Note", "old", "refused", [inserts("new"), "old replaces 1"]],
  },
  {
    change: "another name of the table",
    old: [note()],
    new: [note({ table: "Pages" })],
    found: ["Note", "new", "never read", [inserts("old")]],
  },
  {
    change: "a class that is removed",
    old: [note(), ...posts(month)],
    new: [note()],
    found: ["Post", "new", "never read", [inserts("old")]],
  },
];

/** Changes that lose nothing. */
export const compatible: readonly PairOfReleases[] = [
  { change: "the same release", ...properties({ title: text() }, { title: text() }) },
  {
    change: "an optional property that is added",
    ...properties({ title: text() }, { title: text(), note: text().optional() }),
  },
  {
    change: "a property with a default that is added",
    ...properties({ title: text() }, { title: text(), rating: int32().default(3) }),
  },
  {
    change: "an optional property that is removed",
    ...properties({ title: text(), note: text().optional() }, { title: text() }),
  },
  {
    change: "a property that only the class renames",
    ...properties({ qty: int32().named("Qty") }, { quantity: int32().named("Qty") }),
  },
  {
    change: "an index that both have, and a property that is added",
    old: [note(byAge(constant("AGE:", padded(4))))],
    new: [
      note({
        ...byAge(constant("AGE:", padded(4))),
        properties: { title: text(), age: int32(), more: int32().optional() } as never,
      }),
    ],
  },
  {
    change: "an index that is being built, and not read yet",
    old: [note({ properties: { title: text(), age: int32() } as never, indexStates: "declared" } as never)],
    new: [
      note({
        ...byAge(constant("AGE:", padded(4)), { state: "building" }),
        indexStates: "declared",
      } as never),
    ],
  },
  {
    change: "a retired index that is removed",
    old: [note(byAge(constant("AGE:", padded(4)), { state: "retired" }))],
    new: [note({ properties: { title: text(), age: int32() } as never })],
  },
  {
    change: "a kind whose two names both releases know",
    old: people([["Employee", "Employee", { formerly: ["Staff"] }]]),
    new: people([["Employee", "Staff", { formerly: ["Employee"] }]]),
  },
  {
    change: "markers and an outbox",
    old: [note()],
    new: [note({ proof: "marker", outbox: true } as never)],
  },
  {
    change: "a class in a table of its own",
    old: [note()],
    new: [note(), ...posts(month)],
  },
  {
    change: "a kind that the old release skips",
    old: people([["Employee", "Employee"]], { unknownKind: "skip" }),
    new: people(
      [
        ["Employee", "Employee"],
        ["Guest", "Guest"],
      ],
      { unknownKind: "skip" },
    ),
  },
  {
    change: "an embedded object that is added",
    ...properties(
      { title: text() },
      { title: text(), address: embedded(Address, { city: text(), zip: text().optional() }).optional() },
    ),
  },
];
