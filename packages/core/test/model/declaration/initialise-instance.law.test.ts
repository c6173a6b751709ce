import { fc, test as propertyTest } from "@fast-check/vitest";
import { expect } from "vitest";
import { type Initialisers, initialiserOf } from "../../../src/model/declaration/initialise-instance.ts";

const names = fc.uniqueArray(
  fc.constantFrom("title", "constructor", "toString", 'a "name"', "line\nbreak", "\u2028", "Übergröße", "0"),
  { minLength: 1 },
);
const value = fc.constantFrom("given", 0, false, null, undefined);

propertyTest.prop([names, fc.dictionary(fc.string(), value), fc.boolean()])(
  "a new instance has each value that it is given as its own, and else what the property begins as",
  (all, others, isInherited) => {
    const given: Record<string, unknown> = { ...others };
    const [first, ...rest] = all as [string, ...string[]];
    for (const name of rest) given[name] = `given ${name}`;
    const values = isInherited ? (Object.create(given) as typeof given) : given;
    values[first] = undefined;
    const initials: Initialisers = all.map((name) => [name, () => `initial ${name}`]);

    const entity: Record<string, unknown> = {};
    initialiserOf(initials)(entity, values);
    const withoutValues: Record<string, unknown> = {};
    initialiserOf(initials)(withoutValues, undefined);

    expect(Object.keys(entity).toSorted()).toEqual(all.toSorted());
    expect(entity[first]).toBe(`initial ${first}`);
    for (const name of rest) expect(entity[name]).toBe(isInherited ? `initial ${name}` : `given ${name}`);
    for (const name of all) expect(withoutValues[name]).toBe(`initial ${name}`);
  },
);
