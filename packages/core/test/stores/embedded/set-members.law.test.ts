import { fc, test as propertyTest } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { setMembers } from "../../../src/stores/embedded/set-members.ts";
import {
  annotationOf,
  type StoredEntityDraft,
  type StoredValue,
} from "../../../src/values/edm/stored-entity.ts";
import { setTyped, type TypedValue } from "../../../src/values/edm/typed-value.ts";

/** Few names, of which some end as others do, so that merges meet members that are there. */
const names = ["n", "nn", "n1", "größe", "名", "__proto__", "type"];

/** Text that looks like members, annotations and ends of texts. */
const texts = fc.oneof(
  fc.string({ unit: "binary" }),
  fc
    .array(fc.constantFrom('"', "\\", ",", ":", "}", "{", "n", "n@odata.type", '"n":', "é", "\u2028"))
    .map((parts) => parts.join("")),
);
const values: fc.Arbitrary<TypedValue> = fc.oneof(
  fc.record({
    value: fc.oneof(texts, fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean()),
  }),
  fc.record({ value: fc.bigInt().map(String), annotation: fc.constant("Edm.Int64" as const) }),
  fc.record({ value: fc.integer(), annotation: fc.constant("Edm.Double" as const) }),
);
const members = fc.uniqueArray(fc.tuple(fc.constantFrom(...names), values), { selector: ([name]) => name });

propertyTest.prop([members, members], { numRuns: 3000 })(
  "members set in the bytes of a row are those set in its object, each in its place",
  (stored, written) => {
    const merged = setMembers(Buffer.from(printed(stored)), draftOf(written)).toString();

    expect(merged).toBe(printed([...new Map([...stored, ...written])]));
  },
);

test("a text without an end is damage", () => {
  expect(() => setMembers(Buffer.from('{"n":"abc\\"'), draftOf([["n", { value: 1 }]]))).toThrow(SyntaxError);
});

/** Written by hand: objects put names such as `1` first. */
const printed = (list: readonly (readonly [string, TypedValue])[]): string =>
  `{${list.flatMap(([name, { value, annotation }]) => [...(annotation === undefined ? [] : [member(annotationOf(name), annotation)]), member(name, value)]).join(",")}}`;

const member = (name: string, value: StoredValue): string =>
  `${JSON.stringify(name)}:${JSON.stringify(value)}`;

function draftOf(list: readonly (readonly [string, TypedValue])[]): StoredEntityDraft {
  const draft = {} as StoredEntityDraft;
  for (const [name, value] of list) setTyped(draft, name, value);
  return draft;
}
