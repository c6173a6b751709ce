import fc from "fast-check";
import { expect, test } from "vitest";
import { readJsonBody } from "../../src/wire/read-entity.ts";
import { faultOf } from "../../src/wire/service-fault.ts";

const name = fc.oneof(fc.constantFrom("n", "n@odata.type", "odata.etag", "Timestamp", "x@y"), fc.string());
const value = fc.oneof(
  fc.string(),
  fc.string({ unit: "grapheme" }),
  fc.boolean(),
  fc.constantFrom(null, "Edm.Int64", "Edm.Double", "Edm.Int32", "12"),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const bodies = fc.dictionary(name, value).map((members) => JSON.stringify(members));
const numbers = fc
  .constantFrom("1.0", "-0", "0.5e3", "1E5", "1e999", "01", "1.", "-", "1 ", "+1", "truex", "nul")
  .map((text) => `{"n":${text},"m":1}`);

/** Texts that differ in one place: a character that is gone, and one that is another. */
function mutationsOf(body: string, seed: number): string[] {
  const at = seed % body.length;
  const other = '"{},:\\\n0e.'[seed % 10] as string;
  return [body.slice(0, at) + body.slice(at + 1), body.slice(0, at) + other + body.slice(at + 1)];
}

/** What comes of a text: its properties, or the code of its refusal. */
function read(text: string): unknown {
  try {
    return readJsonBody(text);
  } catch (error) {
    return faultOf(error).code;
  }
}

test("a body as clients write it reads as the same body with blanks around it, whole or mutated", () => {
  fc.assert(
    fc.property(fc.oneof({ weight: 4, arbitrary: bodies }, numbers), fc.nat(), (body, seed) => {
      expect(read(body)).toEqual(read(` ${body}`));
      for (const text of mutationsOf(body, seed)) expect(read(text), text).toEqual(read(` ${text}`));
    }),
    { numRuns: 500 },
  );
});
