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
import { add, join, remove, rename, retype, split, upgrades } from "@partita/core/upgrades";
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
  /** Whether only the functions of a step show it, which no snapshot has. */
  readonly isOfFunctions?: boolean;
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

/** Releases of version 1 and 2, the second of which supports the first. */
const versions = (
  first: object,
  step: object | readonly object[],
  second: object,
  lowest = 1,
): Pick<PairOfReleases, "old" | "new"> => {
  const chain = upgrades(first as { Title: ReturnType<typeof text> }) as unknown as {
    to(version: number, ...steps: readonly object[]): { supports(version: number): unknown };
  };
  const steps = [step].flat();
  return {
    old: [note({ properties: first as never, version: upgrades(first as never) } as never)],
    new: [note({ properties: second as never, version: chain.to(2, ...steps).supports(lowest) } as never)],
  };
};

/** A release that keeps the index of the old one, of a property that it renames. */
function keptIndex(indexes: object | undefined): Pick<PairOfReleases, "old" | "new"> {
  const old = note({
    properties: { Age: int32() } as never,
    version: upgrades({ Age: int32() }),
    indexes: { byAge: { rowKey: { Age: constant("AGE:", padded(4)) } } },
  } as never);
  const newer = note({
    properties: { Years: int32() } as never,
    version: upgrades({ Age: int32() }).to(2, rename("Age", "Years")).supports(1, { indexes: old }),
    ...(indexes !== undefined && { indexes }),
  } as never);
  return { old: [old], new: [newer] };
}

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
    found: ["Note", "old", "refused", [inserts("new"), "old changes 1"]],
  },
  {
    change: "another name of the table",
    old: [note()],
    new: [note({ table: "Pages" })],
    found: ["Note", "new", "never read", [inserts("old")]],
  },
  {
    change: "a join whose way back leaves a part empty",
    ...versions(
      { Zip: text(), City: text() },
      join(
        ["Zip", "City"],
        "Place",
        text(),
        ({ Zip, City }: { Zip: string; City: string }) => `${Zip} ${City}`,
        {
          back: (place: string) => ({ Zip: place, City: "" }),
        },
      ),
      { Place: text() },
    ),
    isOfFunctions: true,
    found: ["Zip", "old", "another value", [inserts("old"), "new copies 2"]],
  },
  {
    change: "a way back that fails for some new values",
    ...versions(
      { Stage: enumOf(["open", "closed"]), Title: text() },
      retype("Stage", "Phase", text(), (stage: "open" | "closed") => stage, {
        back: (phase) => {
          if (phase === "Übergröße") throw new RangeError("There is no such stage.");
          return phase === "open" ? "open" : "closed";
        },
      }),
      { Phase: text(), Title: text() },
    ),
    isOfFunctions: true,
    found: ["Phase", "new", "refused", [inserts("new")]],
  },
  {
    change: "a step that fails for some old values",
    ...versions(
      { Price: text(), Title: text() },
      retype("Price", "Cents", int32(), (price: string) => Math.round(Number(price) * 100), {
        back: (cents: number) => (cents / 100).toFixed(2),
      }),
      { Cents: int32(), Title: text() },
    ),
    isOfFunctions: true,
    found: ["Note", "new", "unreadable", [inserts("old")]],
  },
  {
    change: "support that ended while the first version runs",
    old: [note({ properties: { A: text() } as never, version: upgrades({ A: text() }) } as never)],
    new: [
      note({
        properties: { C: text() } as never,
        version: upgrades({ A: text() }).to(2, rename("A", "B")).to(3, rename("B", "C")).supports(2),
      } as never),
    ],
    found: ["A", "old", "unreadable", [inserts("new")]],
  },
  {
    change: "a table that is declared clean while the first version runs",
    old: [note({ properties: { A: text() } as never, version: upgrades({ A: text() }) } as never)],
    new: [
      note({
        properties: { B: text() } as never,
        version: upgrades({ A: text() }).to(2, rename("A", "B")).clean(),
      } as never),
    ],
    found: ["A", "old", "unreadable", [inserts("new")]],
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
  {
    change: "a rename with supports",
    ...versions({ Qty: int32(), Title: text() }, rename("Qty", "Quantity"), {
      Quantity: int32(),
      Title: text(),
    }),
  },
  {
    change: "a retype with a way back",
    ...versions(
      { Price: text(), Title: text() },
      retype("Price", "Cents", int32(), (price: string) => Math.round(Number(price) * 100), {
        back: (cents: number) => (cents / 100).toFixed(2),
      }),
      { Cents: int32(), Title: text() },
    ),
    values: { Note: { Price: ["12.50", "1.5", "3", "0.99"], Cents: [1, 2, 150, 12_345] } },
  },
  {
    change: "a retype with a lossy way back",
    ...versions(
      { Stage: enumOf(["open", "closed"]), Title: text() },
      retype("Stage", "Phase", enumOf(["open", "closed", "archived"]), (stage: "open" | "closed") => stage, {
        back: (phase) => (phase === "open" ? "open" : "closed"),
      }),
      { Phase: enumOf(["open", "closed", "archived"]), Title: text() },
    ),
  },
  {
    change: "a split with a way back",
    ...versions(
      { Name: text(), Title: text() },
      split(
        "Name",
        { First: text(), Last: text() },
        (name: string) => {
          const [first = "", ...last] = name.split(" ");
          return { First: first, Last: last.join(" ") };
        },
        { back: ({ First, Last }) => (Last === "" ? First : `${First} ${Last}`) },
      ),
      { First: text(), Last: text(), Title: text() },
    ),
  },
  {
    change: "a join with a way back",
    ...versions(
      { Zip: text(), City: text() },
      join(
        ["Zip", "City"],
        "Place",
        text(),
        ({ Zip, City }: { Zip: string; City: string }) => JSON.stringify([Zip, City]),
        {
          back: (place: string) => {
            const [Zip = "", City = ""] = place.startsWith("[") ? (JSON.parse(place) as string[]) : [place];
            return { Zip, City };
          },
        },
      ),
      { Place: text() },
    ),
  },
  {
    change: "properties that are added and removed by steps",
    ...versions(
      { Rating: int32(), Title: text() },
      [remove("Rating", { back: () => 3 }), add("State", text(), "open")],
      { State: text(), Title: text() },
    ),
  },
  {
    change: "two renames of one property",
    old: [note({ properties: { A: text() } as never, version: upgrades({ A: text() }) } as never)],
    new: [
      note({
        properties: { C: text() } as never,
        version: upgrades({ A: text() }).to(2, rename("A", "B")).to(3, rename("B", "C")).supports(1),
      } as never),
    ],
  },
  {
    change: "a renamed property with the same stored index",
    old: [
      note({
        properties: { Age: int32() } as never,
        version: upgrades({ Age: int32() }),
        indexes: { byAge: { rowKey: { Age: constant("AGE:", padded(4)) } } },
      } as never),
    ],
    new: [
      note({
        properties: { Years: int32() } as never,
        version: upgrades({ Age: int32() }).to(2, rename("Age", "Years")).supports(1),
        indexes: { byAge: { rowKey: { Years: constant("AGE:", padded(4)) } } },
      } as never),
    ],
  },
  {
    change: "an index that is added with since",
    old: [note({ properties: { Age: int32() } as never, version: upgrades({ Age: int32() }) } as never)],
    new: [
      note({
        properties: { Age: int32(), Town: text().optional() } as never,
        version: upgrades({ Age: int32() })
          .to(2, add("Town", text().optional(), undefined))
          .supports(1),
        indexes: { byAge: { rowKey: { Age: constant("AGE:", padded(4)) }, since: 2 } },
      } as never),
    ],
  },
  {
    change: "an index that is replaced by another, and kept for the old release",
    ...keptIndex({ byYears: { rowKey: { Years: constant("YEARS:", padded(6)) }, since: 2 } }),
  },
  { change: "an index that is dropped, and kept for the old release", ...keptIndex(undefined) },
  {
    change: "a unique value that is added with since",
    old: [note({ properties: { Mail: text() } as never, version: upgrades({ Mail: text() }) } as never)],
    new: [
      note({
        properties: { Mail: text(), Town: text().optional() } as never,
        version: upgrades({ Mail: text() })
          .to(2, add("Town", text().optional(), undefined))
          .supports(1),
        indexes: { byMail: { rowKey: { Mail: constant("M:", text() as never) }, unique: true, since: 2 } },
      } as never),
    ],
  },
];
