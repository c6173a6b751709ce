import { defineEntity, defineKind, type EntityClass, int32, text } from "../../../src/index.ts";
import { constant, descending, escaped, padded, verbatim } from "../../../src/keys.ts";
import { rename, upgrades } from "../../../src/upgrades.ts";

/** What every entity of these tests has beside its key. */
export interface Values {
  readonly rank?: number | undefined;
  readonly club?: string | undefined;
  readonly mail?: string | undefined;
  readonly note?: string | undefined;
}

/** A table: the classes that entities are of, and the class that all of them are read as. */
export interface Design {
  readonly name: string;
  readonly table: string;
  /** Entities are made of one of these. */
  readonly classes: readonly [EntityClass<AnyEntity>, ...EntityClass<AnyEntity>[]];
  /** Queries are asked of this one. */
  readonly base: EntityClass<AnyEntity>;
  /** The class as it was before, where rows may be of an older version. */
  readonly older?: EntityClass<AnyEntity>;
  /** Whether entities may be attached, and merged by upserts: not where rows may be of older versions. */
  readonly isVersioned: boolean;
}

export type AnyEntity = { part: string; id: string } & { -readonly [Name in keyof Values]: Values[Name] };

const properties = {
  rank: int32().optional(),
  club: text().optional(),
  mail: text().optional(),
  note: text().optional(),
};

const sparse = {
  byRank: { rowKey: { rank: constant("RANK:", padded(3)), id: text() } },
  byClub: { rowKey: { club: constant("CLUB:", verbatim) }, copy: ["club", "rank"] as const },
  byBoth: {
    rowKey: { rank: constant("BOTH:", descending(padded(3))), club: escaped },
    copy: "none" as const,
  },
  byMail: { rowKey: { mail: constant("MAIL:", verbatim) }, unique: true },
};

/** Keys that say what they are, with a separator that escapes nothing. */
class Runner extends defineEntity({
  table: "Runners",
  separator: "__",
  partitionKey: { part: text() },
  rowKey: { id: constant("BIB:", verbatim) },
  properties,
  indexes: {
    ...sparse,
    byBoth: { rowKey: { rank: constant("BOTH:", padded(3)), club: verbatim }, copy: "none" },
  },
}) {}

/** Keys that may be any text. */
class Member extends defineEntity({
  table: "Members",
  separator: "!",
  partitionKey: { part: text() },
  rowKey: { id: text() },
  properties,
  indexes: sparse,
}) {}

/** Transactions leave markers; two unique indexes, one of two parts, and one of its own parts. */
class Seat extends defineEntity({
  table: "Seats",
  proof: "marker",
  separator: "!",
  partitionKey: { part: text() },
  rowKey: { id: text() },
  properties,
  indexes: {
    byMail: { rowKey: { mail: constant("MAIL:", verbatim) }, unique: true },
    byPair: { rowKey: { club: constant("PAIR:", escaped), rank: padded(2) }, unique: true },
    byPart: { rowKey: { part: constant("PART:", escaped), id: text() }, copy: "none" },
  },
}) {}

/** Kinds below a base with indexes. */
class Animal extends defineEntity({
  table: "Animals",
  separator: "!",
  partitionKey: { part: text() },
  rowKey: { id: text() },
  properties,
  indexes: sparse,
}) {}
class Cat extends defineKind(Animal, { kind: "Cat", properties: { lives: int32().default(9) } }) {}
class Dog extends defineKind(Animal, { kind: "Dog" }) {}

const versioned = {
  table: "Letters",
  separator: "!",
  partitionKey: { part: text() },
  rowKey: { id: text() },
} as const;
const old = {
  rank: int32().optional(),
  team: text().optional(),
  mail: text().optional(),
  note: text().optional(),
};
const oldIndexes = {
  ...sparse,
  byClub: { rowKey: { team: constant("CLUB:", verbatim) }, copy: ["team", "rank"] as const },
  byBoth: {
    rowKey: { rank: constant("BOTH:", descending(padded(3))), team: escaped },
    copy: "none" as const,
  },
};
class OldLetter extends defineEntity({ ...versioned, properties: old, indexes: oldIndexes }) {}

/** Rows of two versions; the parts of an index had other names. */
class Letter extends defineEntity({
  ...versioned,
  version: upgrades(old).to(2, rename("team", "club")),
  properties,
  indexes: sparse,
}) {}

const bib = { partitionKey: { part: text() }, rowKey: { id: text() }, separator: "!", properties } as const;
const { byRank, byBoth } = sparse;
/** What takes every value that the class takes. */
const free = {
  byRank,
  byBoth,
  byClub: { ...sparse.byClub, rowKey: { club: constant("CLUB:", escaped) } },
  byMail: { rowKey: { mail: constant("MAIL:", escaped) }, copy: ["note"] as const },
};
class Plain extends defineEntity({ ...bib, table: "Plain" }) {}
class Indexed extends defineEntity({ ...bib, table: "Indexed", indexes: free }) {}

const design = (table: string, base: object, more: Partial<Omit<Design, "base">> = {}): Design => ({
  name: table,
  table,
  classes: [base as EntityClass<AnyEntity>],
  base: base as EntityClass<AnyEntity>,
  isVersioned: false,
  ...more,
});

export const designs: readonly Design[] = [
  design("Runners", Runner),
  design("Members", Member),
  design("Seats", Seat),
  design("Animals", Animal, {
    classes: [Cat, Dog] as unknown as Design["classes"],
  }),
  design("Letters", Letter, { older: OldLetter as unknown as EntityClass<AnyEntity>, isVersioned: true }),
];

/** Classes without indexes, and the same with some. */
export const twins: readonly (readonly [Design, Design])[] = [
  [design("Plain", Plain), design("Indexed", Indexed)],
];
