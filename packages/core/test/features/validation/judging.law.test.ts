import { isFull, isLong } from "@partita/test-support/effort";
import { fc, test } from "@fast-check/vitest";
import { expect } from "vitest";
import { defineEntity, type EntityValidator, int32, json, TableContext, text } from "../../../src/index.ts";
import { contextWith, refusalOf, storageOf } from "./judged.ts";

// Law: whatever a validator does to what it is given, and whenever, what is stored is what the program assigned: or, with
// applyTransforms, that and the validator's edits of loaded properties. No rule about a property that was not loaded refuses a save.

class Item extends defineEntity({
  table: "Items",
  partitionKey: { p: text() },
  rowKey: { r: text() },
  properties: {
    a: text().optional(),
    b: int32().optional(),
    c: json<{ n: number[] }>().optional(),
    d: text().optional(),
  },
}) {}

type Name = "a" | "b" | "c" | "d";
type Values = Partial<Record<Name, unknown>>;
const names: readonly Name[] = ["a", "b", "c", "d"];
const key = { p: "p", r: "1" };
const runs = isLong ? { numRuns: 50_000 } : { numRuns: isFull ? 1000 : 300, seed: 20_261_125 };

const value: Readonly<Record<Name, fc.Arbitrary<unknown>>> = {
  a: fc.constantFrom("", "x", "y"),
  b: fc.constantFrom(0, 1, -1),
  c: fc.constantFrom([], [1], [1, 2]).map((n) => ({ n: [...n] })),
  d: fc.constantFrom("", "z"),
};
const values = fc.record(value, { requiredKeys: [] }) as fc.Arbitrary<Values>;

/** How an entity comes to a save, and which of its properties are known then. */
const ways = ["new", "read", "selected", "attached", "upserted"] as const;

/** What a validator does with its copy. */
interface Deed {
  readonly name: Name;
  readonly does: "assign" | "delete" | "in place";
  readonly to: unknown;
  /** In the call, after a wait in it, or after it. */
  readonly when: "now" | "awaited" | "late";
}
const deed = fc.constantFrom(...names).chain((name) =>
  fc.record({
    name: fc.constant(name),
    does: fc.constantFrom("assign", "delete", "in place") as fc.Arbitrary<Deed["does"]>,
    to: value[name],
    when: fc.constantFrom("now", "awaited", "late") as fc.Arbitrary<Deed["when"]>,
  }),
);

function carryOut({ name, does, to }: Deed, copy: Values): void {
  if (does === "assign") copy[name] = structuredClone(to);
  else if (does === "delete") delete copy[name];
  else (copy.c as { n: number[] } | undefined)?.n.push(7);
}

const plainOf = (of: Values): Values =>
  JSON.parse(JSON.stringify(Object.fromEntries(names.map((name) => [name, of[name]])))) as Values;

const isSame = (x: unknown, y: unknown): boolean => JSON.stringify(x) === JSON.stringify(y);

test.prop(
  {
    stored: values,
    edits: fc.record(value, { requiredKeys: ["a"] }) as fc.Arbitrary<Values>,
    way: fc.constantFrom(...ways),
    deeds: fc.array(deed, { maxLength: 3 }),
    applyTransforms: fc.boolean(),
    refused: fc.constantFrom<Name | undefined>(...names, undefined),
  },
  runs,
)(
  "a validator changes nothing but what it may",
  async ({ stored, edits, way, deeds, applyTransforms, refused }) => {
    const storage = await storageOf(Item);
    const isStored = way !== "new";
    if (isStored) {
      const first = new TableContext(storage);
      Object.assign(first.create(Item, key), structuredClone(stored));
      await first.saveChanges();
    }
    const late: (() => void)[] = [];
    let isFirst = true;
    const judge: EntityValidator = async (given) => {
      const copy = given as Values;
      for (const name of names) if (name in copy) asked.add(name);
      if (isFirst) {
        isFirst = false;
        for (const one of deeds) {
          if (one.when === "awaited") await Promise.resolve();
          if (one.when === "late") late.push(() => carryOut(one, copy));
          else carryOut(one, copy);
        }
      }
      // What every library says of a required property.
      return refused !== undefined && copy[refused] === undefined
        ? [{ property: refused, message: "is required" }]
        : [];
    };
    const asked = new Set<Name>();
    const context = contextWith(storage, Object.assign(judge, { applyTransforms }));
    const entity = await entityOf(context, way);
    const known = new Set<Name>(names.filter((name) => isKnown(way, name) || edits[name] !== undefined));
    Object.assign(entity, structuredClone(edits));
    const assigned = plainOf(entity as Values);

    fc.pre(context.pendingChanges().length > 0);

    const error = await refusalOf(context);
    for (const act of late) act();

    // What the validator made of its copy, of what it was given.
    const made: Values = plainOf(assigned);
    for (const one of deeds) if (one.when !== "late") carryOut(one, made);
    const changed = names.filter((name) => known.has(name) && !isSame(made[name], assigned[name]));
    const isRefused = refused !== undefined && known.has(refused) && made[refused] === undefined;
    if (changed.length > 0 && !applyTransforms)
      expect(error).toMatchObject({ code: "validator.changed-entity", details: { properties: changed } });
    else if (isRefused)
      expect(error).toMatchObject({ code: "entity.invalid", violations: [{ property: refused }] });
    else if (error !== undefined) {
      // Clearing asks for the rest of the row, which was not loaded.
      expect(error).toMatchObject({ code: "entity.not-loaded" });
      expect(way === "selected" || way === "attached").toBe(true);
      expect(changed.some((name) => made[name] === undefined)).toBe(true);
    }
    const row = await new TableContext(storage).find(Item, key);
    if (error !== undefined) {
      expect(plainOf((row ?? {}) as Values)).toEqual(isStored ? plainOf(stored) : {});
      return;
    }
    const final: Values = { ...(isStored ? plainOf(stored) : {}), ...assigned };
    // What was not loaded, and has no value again, is left alone.
    for (const name of changed) final[name] = made[name] ?? (isKnown(way, name) ? undefined : stored[name]);
    expect(plainOf(row as Values)).toEqual(plainOf(final));
    for (const name of asked) expect(known.has(name)).toBe(true);

    // The copy that a validator kept is nobody's.
    for (const act of late) act();
    expect(plainOf(entity as Values)).toEqual(
      plainOf(applyTransforms ? { ...assigned, ...pick(made, changed) } : assigned),
    );
    expect(context.pendingChanges()).toEqual([]);
  },
);

const pick = (of: Values, which: readonly Name[]): Values =>
  Object.fromEntries(which.map((name) => [name, of[name]]));

const isKnown = (way: (typeof ways)[number], name: Name): boolean =>
  way === "new" || way === "read" || (way === "selected" && name === "a");

async function entityOf(context: TableContext, way: (typeof ways)[number]): Promise<object> {
  switch (way) {
    case "new":
      return context.create(Item, key);
    case "read":
      return (await context.find(Item, key)) as Item;
    case "selected":
      return (await context.query(Item).where(key).select("a").toArray())[0] as object;
    case "attached":
      return context.attach(new Item(key), "*");
    case "upserted":
      return context.upsert(new Item(key), "merge");
    default:
      return way satisfies never;
  }
}
