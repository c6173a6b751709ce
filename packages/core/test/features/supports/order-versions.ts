import { defineEntity, type EntityClass, enumOf, int32, text } from "../../../src/index.ts";
import { add, join, remove, rename, retype, split, upgrades } from "../../../src/upgrades.ts";

/*
 * One class in four versions, with a step of every sort. Version 3 never ran as a release. Each logical property goes by the names that
 * the versions give it; its conversions say what is one value for all of them.
 */

type Values = Readonly<Record<string, string | number | undefined>>;

const euros = (cents: number): string => (cents / 100).toFixed(2);
const cents = (price: string): number => Math.round(Number(price) * 100);
const phases = ["open", "closed"] as const;
const stages = ["open", "closed", "archived"] as const;
type Names = { readonly First: string; readonly Last: string; readonly Title: string };

const first = {
  Qty: int32(),
  Note: text().optional(),
  Rating: int32(),
  Price: text(),
  Phase: enumOf([...phases]),
  Name: text(),
  Zip: text(),
  City: text(),
};
const second = {
  Quantity: int32(),
  Remark: text().optional(),
  State: text(),
  Code: text(),
  Cents: int32(),
  Stage: enumOf([...stages]),
  First: text(),
  Last: text(),
  Title: text(),
  Place: text(),
};
const { Place: _place, Remark: _remark, Quantity: _quantity, Cents: _cents, Code: _code, ...kept } = second;
const fourth = {
  ...kept,
  Pieces: int32(),
  Flag: int32(),
  Key: text(),
  Money: text(),
  Line: text(),
  Country: text(),
  Memo: text().optional(),
};

const placeBack = (place: string): { Zip: string; City: string } => ({
  Zip: place.slice(0, 2),
  City: place.slice(3),
});

const chain2 = upgrades(first).to(
  2,
  rename("Qty", "Quantity"),
  rename("Note", "Remark"),
  add("State", text(), "open"),
  add("Code", text(), "x0"),
  remove("Rating", { back: () => 3 }),
  // Several older texts mean one newer value.
  retype("Price", "Cents", int32(), cents, { back: euros }),
  // Several newer values mean one older value.
  retype("Phase", "Stage", enumOf([...stages]), (phase: "open" | "closed") => phase, {
    back: (stage) => (stage === "archived" ? "closed" : stage),
    exact: true,
  }),
  // The older name cannot hold the title.
  split(
    "Name",
    { First: text(), Last: text(), Title: text() },
    (name: string): Names => ({
      First: name.split(" ")[0] as string,
      Last: name.split(" ")[1] as string,
      Title: "-",
    }),
    { back: ({ First, Last }) => `${First} ${Last}` },
  ),
  join(["Zip", "City"], "Place", text(), ({ Zip, City }: { Zip: string; City: string }) => `${Zip} ${City}`, {
    back: placeBack,
    exact: true,
  }),
);
const chain4 = chain2
  .to(
    3,
    rename("Quantity", "Pieces"),
    add("Flag", int32(), 0),
    // Both spellings are one value to the newer versions.
    retype("Code", "Key", text(), (code: string) => code.toLowerCase(), { back: (key) => key }),
    // The way back loses the currency.
    retype("Cents", "Money", text(), (each: number) => `${each} EUR`, {
      back: (money) => Number(money.split(" ")[0]),
    }),
  )
  .to(
    4,
    fourth,
    ({ Place, Remark, ...others }) => ({ ...others, Line: Place, Country: "??", Memo: Remark }),
    { back: ({ Line, Country: _country, Memo, ...others }) => ({ ...others, Place: Line, Remark: Memo }) },
  );

const keys = { table: "Orders", partitionKey: { shop: text() }, rowKey: { id: text() } } as const;
export const properties = { 1: first, 2: second, 4: fourth } as const;

/** The versions that run as releases. */
export type Version = keyof typeof properties;

const classes = new Map<string, EntityClass>();

/** The class of a release. */
export function classOf(release: { readonly version: Version; readonly supports: Version }): EntityClass {
  const name = `${release.version} ${release.supports}`;
  const made = classes.get(name) ?? declare(release);
  classes.set(name, made);
  return made;
}

function declare({
  version,
  supports,
}: {
  readonly version: Version;
  readonly supports: Version;
}): EntityClass {
  switch (version) {
    case 1:
      return class Order extends defineEntity({ ...keys, version: upgrades(first), properties: first }) {};
    case 2:
      return class Order extends defineEntity({
        ...keys,
        version: chain2.supports(supports),
        properties: second,
      }) {};
    default:
      return class Order extends defineEntity({
        ...keys,
        version: chain4.supports(supports),
        properties: fourth,
      }) {};
  }
}

/** Values that each property may have, the first of which a new order has. */
export const values: Readonly<Record<string, readonly (string | number | undefined)[]>> = {
  Qty: [1, 2, 3],
  Quantity: [1, 2, 3],
  Pieces: [1, 2, 3],
  Note: ["a", "b", undefined],
  Remark: ["a", "b", undefined],
  Memo: ["a", "b", undefined],
  Code: ["x0", "x1", "X1"],
  Key: ["x0", "x1"],
  State: ["open", "shut"],
  Rating: [1, 3],
  Flag: [0, 1],
  Price: ["1.00", "1.5", "1.50"],
  Cents: [100, 150, 275],
  Money: ["100 EUR", "150 EUR", "100 CHF", "150 CHF"],
  Phase: phases,
  Stage: stages,
  Name: ["Ann Lee", "Ann Kim", "Bo Lee"],
  First: ["Ann", "Bo"],
  Last: ["Lee", "Kim"],
  Title: ["-", "Dr"],
  Zip: ["10", "20"],
  City: ["Oslo", "Rome"],
  Place: ["10 Oslo", "20 Rome"],
  Line: ["10 Oslo", "20 Rome"],
  Country: ["??", "NO"],
};

/** What rows read as in versions that know a property which none of their writers knew. */
export const defaults: Values = {
  State: "open",
  Code: "x0",
  Key: "x0",
  Flag: 0,
  Title: "-",
  Country: "??",
  Rating: 3,
};

/** A value in all of its versions, and the way between two that follow each other: to the later one, and back. */
interface Logical {
  readonly names: Readonly<Record<Version, readonly string[]>>;
  readonly forward: (from: 1 | 2, value: Values) => Values;
  readonly back: (to: 1 | 2, value: Values) => Values;
}

const sameUnder = (
  ...names: readonly [string | undefined, string | undefined, string | undefined]
): Logical => {
  const under = { 1: names[0], 2: names[1], 4: names[2] } as const;
  const list = (name: string | undefined): string[] => (name === undefined ? [] : [name]);
  const next = { 1: 2, 2: 4 } as const;
  const moved = (from: Version, to: Version, value: Values): Values => ({
    [under[to] as string]: value[under[from] as string],
  });
  return {
    names: { 1: list(under[1]), 2: list(under[2]), 4: list(under[4]) },
    forward: (from, value) => moved(from, next[from], value),
    back: (to, value) => moved(next[to], to, value),
  };
};

const moneyOf = (value: Values): number => Number(String(value["Money"]).split(" ")[0]);

export const logical: readonly Logical[] = [
  sameUnder("Qty", "Quantity", "Pieces"),
  sameUnder("Note", "Remark", "Memo"),
  sameUnder("Rating", undefined, undefined),
  sameUnder(undefined, "State", "State"),
  sameUnder(undefined, undefined, "Flag"),
  sameUnder(undefined, "Title", "Title"),
  sameUnder(undefined, undefined, "Country"),
  {
    ...sameUnder(undefined, "Code", "Key"),
    forward: (_from, value) => ({ Key: String(value["Code"]).toLowerCase() }),
  },
  {
    names: { 1: ["Price"], 2: ["Cents"], 4: ["Money"] },
    forward: (from, value) =>
      from === 1 ? { Cents: cents(String(value["Price"])) } : { Money: `${value["Cents"]} EUR` },
    back: (to, value) => (to === 1 ? { Price: euros(Number(value["Cents"])) } : { Cents: moneyOf(value) }),
  },
  {
    ...sameUnder("Phase", "Stage", "Stage"),
    back: (to, value) => {
      if (to === 2) return value;
      return { Phase: value["Stage"] === "archived" ? "closed" : value["Stage"] };
    },
  },
  {
    names: { 1: ["Name"], 2: ["First", "Last"], 4: ["First", "Last"] },
    forward: (from, value) => {
      if (from === 2) return value;
      const [First, Last] = String(value["Name"]).split(" ");
      return { First, Last };
    },
    back: (to, value) => (to === 2 ? value : { Name: `${value["First"]} ${value["Last"]}` }),
  },
  {
    names: { 1: ["Zip", "City"], 2: ["Place"], 4: ["Line"] },
    forward: (from, value) =>
      from === 1 ? { Place: `${value["Zip"]} ${value["City"]}` } : { Line: value["Place"] },
    back: (to, value) => (to === 1 ? placeBack(String(value["Place"])) : { Place: value["Line"] }),
  },
];

const order: readonly Version[] = [1, 2, 4];

/** A value as it is in another version. */
export function inVersion({ forward, back }: Logical, value: Values, from: Version, to: Version): Values {
  let now = value;
  for (let at = order.indexOf(from); at < order.indexOf(to); at++) now = forward(order[at] as 1 | 2, now);
  for (let at = order.indexOf(from); at > order.indexOf(to); at--) now = back(order[at - 1] as 1 | 2, now);
  return now;
}

/** The versions between two, both included. */
export const between = (a: Version, b: Version): readonly Version[] =>
  order.filter((each) => each >= Math.min(a, b) && each <= Math.max(a, b));
