import { isLong } from "@partita/test-support/effort";
import { fc } from "@fast-check/vitest";
import { type Fault, faults } from "@partita/testing";
import type { Values } from "./designs.ts";

export const ids = ["k1", "k2", "k3", "k4", "k5"] as const;
export const parts = ["a", "b"] as const;

/** What two contexts, and programs beside them, do to one table. */
export type Command =
  | { type: "add" | "attach" | "removeNew"; at: At; key: Key; values: Values }
  | { type: "attachNow"; at: At; key: Key; values: Values }
  | { type: "upsert"; at: At; key: Key; values: Values; mode: "merge" | "replace"; idempotent: boolean }
  | { type: "set"; at: At; key: Key; values: Values }
  | { type: "find" | "addBack" | "update" | "remove" | "detach" | "discard"; at: At; key: Key }
  | { type: "swap"; at: At; key: Key; other: Key }
  | { type: "reload"; at: At; key: Key; mergeOption: "preserveChanges" | "overwriteChanges" }
  | { type: "resolve"; at: At; key: Key; resolution: "mine" | "theirs" }
  | { type: "removeByKey"; at: At; key: Key; isAny: boolean }
  | {
      type: "query";
      at: At;
      part: string;
      mergeOption: string;
      select: readonly (keyof Values)[];
      via: string;
      faults: Faults;
    }
  | { type: "bulk"; at: At; part: string; via: string; change: Values | "remove"; faults: Faults }
  | { type: "modify"; at: At; key: Key; values: Values; faults: Faults }
  | { type: "save"; at: At; options: SaveOf; faults: Faults; isKilled: boolean }
  | { type: "saveBoth"; options: SaveOf; faults: Faults }
  | { type: "old"; key: Key; values: Values }
  | { type: "upgrade"; faults: Faults }
  | { type: "late" | "doubt"; at: At };

export type At = 0 | 1;
export interface Key {
  readonly part: string;
  readonly id: string;
}
type Faults = readonly (Fault | undefined)[];
export interface SaveOf {
  readonly batch: "auto" | "atomic" | "none";
  readonly update: "merge" | "replace";
  readonly removeMissing: "conflict" | "ignore";
}

const at = fc.constantFrom(0, 1);
// Most of what happens, happens to few entities.
const key = fc.record({
  part: fc.constantFrom("a", "a", "a", "b"),
  id: fc.constantFrom("k1", "k1", "k2", "k2", ...ids),
});
const optional = <Value>(...values: Value[]): fc.Arbitrary<Value | undefined> =>
  fc.constantFrom(undefined, ...values);
const values = fc.record(
  {
    rank: optional(1, 2, 3),
    club: optional("a", "b", "x!y"),
    mail: optional("m1", "m2", "m3"),
    note: optional("n1", "n2"),
  },
  { requiredKeys: [] },
);
const fault: fc.Arbitrary<Fault | undefined> = fc.oneof(
  { weight: 2, arbitrary: fc.constant(undefined) },
  { weight: 3, arbitrary: fc.constantFrom(...faults) },
);
const someFaults = fc.oneof(
  { weight: 2, arbitrary: fc.constant([]) },
  { weight: 3, arbitrary: fc.array(fault, { maxLength: 7 }) },
);
const options = fc.record({
  batch: fc.constantFrom("auto", "auto", "atomic", "none"),
  update: fc.constantFrom("merge", "merge", "replace"),
  removeMissing: fc.constantFrom("conflict", "ignore"),
});
const via = fc.constantFrom("", "", "primary", "byRank", "byClub", "byBoth", "byMail", "byPair", "byPart");
const mergeOption = fc.constantFrom("appendOnly", "appendOnly", "preserveChanges", "overwriteChanges");

const of = (weight: number, type: string, record: Record<string, fc.Arbitrary<unknown>>) => ({
  weight,
  arbitrary: fc.record({ type: fc.constant(type), ...record }),
});

export const command = fc.oneof(
  of(5, "add", { at, key, values }),
  of(2, "removeNew", { at, key, values }),
  of(1, "attach", { at, key, values }),
  of(1, "attachNow", { at, key, values }),
  of(3, "upsert", { at, key, values, mode: fc.constantFrom("merge", "replace"), idempotent: fc.boolean() }),
  of(9, "set", { at, key, values }),
  of(3, "find", { at, key }),
  of(1, "addBack", { at, key }),
  of(1, "update", { at, key }),
  of(2, "remove", { at, key }),
  of(1, "detach", { at, key }),
  of(1, "discard", { at, key }),
  of(2, "swap", { at, key, other: key }),
  of(1, "reload", { at, key, mergeOption: fc.constantFrom("preserveChanges", "overwriteChanges") }),
  of(1, "resolve", { at, key, resolution: fc.constantFrom("mine", "theirs") }),
  of(2, "removeByKey", { at, key, isAny: fc.boolean() }),
  of(4, "query", {
    at,
    part: fc.constantFrom(...parts),
    mergeOption,
    select: fc.oneof(
      fc.constant([]),
      fc.uniqueArray(fc.constantFrom("rank", "club", "mail", "note"), { maxLength: 2 }),
    ),
    via,
    faults: someFaults,
  }),
  of(1, "bulk", {
    at,
    part: fc.constantFrom(...parts),
    via,
    change: fc.oneof({ weight: 2, arbitrary: values }, { weight: 1, arbitrary: fc.constant("remove") }),
    faults: someFaults,
  }),
  of(1, "modify", { at, key, values, faults: someFaults }),
  of(10, "save", {
    at,
    options,
    faults: someFaults,
    isKilled: fc.constantFrom(false, false, false, false, true),
  }),
  of(2, "saveBoth", { options, faults: someFaults }),
  of(2, "old", { key, values }),
  // Between two tries of an upgrade is a real wait.
  of(1, "upgrade", { faults: isLong ? someFaults : fc.constant([]) }),
  of(1, "late", { at }),
  of(1, "doubt", { at }),
) as fc.Arbitrary<Command>;
