import { fc, test as propertyTest } from "@fast-check/vitest";
import { filterLiteral } from "@partita/testing/arbitraries";
import { describe, expect, test } from "vitest";
import {
  bitsOf,
  type RowSignature,
  signatureFactor,
  signatureOf,
} from "../../../src/adapters/embedded/row-signature.ts";
import { packedLength, packedText } from "../../../src/edm/packed-bytes.ts";
import { evaluateFilter } from "../../../src/filter/evaluate-filter.ts";
import type { Literal, StoredValue } from "../../../src/index.ts";
import { families, member } from "./equal-values.ts";

/** What the SQL of a test by signature says. */
const passes = (signature: RowSignature, name: string, { edm, value }: Literal): boolean => {
  const { column, bits } = bitsOf(name, edm, value);
  // oxlint-disable-next-line no-bitwise -- a set of bits
  return (BigInt(signature[column]) & bits) === 0n;
};

const signatureWith = (name: string, { edm, value }: Literal): RowSignature =>
  signatureOf(Object.fromEntries(member(name, [edm, value])));

const literal = fc.oneof(
  filterLiteral(),
  fc.constantFrom(...families.flat()).map(([edm, value]): Literal => ({ edm, value })),
);

/** Names with signs are no properties'. */
const propertyName = fc.string({ minLength: 1 }).map((text) => text.replaceAll(/[@.]/g, "_"));

propertyTest.prop([propertyName, literal], { numRuns: 500 })(
  "a row passes the test for each value it has, among any others",
  (name, found) => {
    const others = Object.fromEntries(
      Array.from({ length: 250 }, (_, i): [string, StoredValue] => [`Other${i}`, i]),
    );
    const properties = Object.fromEntries(member(name, [found.edm, found.value]));

    expect(passes(signatureOf(properties), name, found)).toBe(true);
    expect(passes(signatureOf({ ...others, ...properties }), name, found)).toBe(true);
  },
);

test("values that a filter takes for equal have the same bits, however they are written", () => {
  let equal = 0;
  for (const family of families)
    for (const [edm, value] of family)
      for (const [otherEdm, other] of family) {
        const [found, constant]: Literal[] = [
          { edm, value },
          { edm: otherEdm, value: other },
        ];
        const isEqual = evaluateFilter({ op: "eq", name: "n", literal: constant as Literal }, () => found);
        if (!isEqual) continue;
        equal++;
        expect([
          found,
          constant,
          passes(signatureWith("n", found as Literal), "n", constant as Literal),
        ]).toEqual([found, constant, true]);
      }
  expect(equal).toBeGreaterThan(150);
});

describe("few rows pass without having the value", () => {
  const count = 5000;
  test.each<[edm: Literal["edm"], valueOf: (i: number) => StoredValue]>([
    ["Edm.Int32", (i) => i],
    ["Edm.Int64", (i) => String(i * 1000)],
    ["Edm.Double", (i) => i + 0.5],
    ["Edm.String", (i) => `https://example.org/a/long/path/that/all/of/them/share/${i}`],
    ["Edm.DateTime", (i) => new Date(i * 60_000 + 1e12).toISOString()],
    ["Edm.Guid", (i) => `c9da6455-213d-42c9-9a79-${String(i).padStart(12, "0")}`],
    ["Edm.Binary", (i) => Buffer.from(`bytes ${i}`).toString("base64")],
  ])("%s", (edm, valueOf) => {
    // Beside nine other values, as rows have.
    const others = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`Other${i}`, i]));
    const wanted: Literal = { edm, value: valueOf(7) };
    let passed = 0;
    for (let i = 0; i < count; i++) {
      const own = Object.fromEntries(member("n", [edm, valueOf(i)]));
      if (passes(signatureOf({ ...own, ...others, Row: i }), "n", wanted)) passed++;
    }

    expect(passed).toBeGreaterThan(0);
    expect(passed).toBeLessThan(count / 10);
  });
});

test("a signature is a number that SQLite takes exactly, and a multiple of its factor", () => {
  const rows = [{}, { n: 5 }, Object.fromEntries(Array.from({ length: 252 }, (_, i) => [`P${i}`, i]))];

  for (const column of rows.flatMap((row) => signatureOf(row))) {
    expect(Number.isSafeInteger(column)).toBe(true);
    expect(column % signatureFactor).toBe(0);
  }
});

propertyTest.prop([fc.uint8Array({ minLength: packedLength, maxLength: packedLength + 9 }), fc.nat(99)], {
  numRuns: 50,
})("bytes have the same signature where they are packed as in base64", (bytes, offset) => {
  const type = { "Image@odata.type": "Edm.Binary" };
  const inBase64 = { ...type, Image: Buffer.from(bytes).toString("base64"), N: 1 };
  const packed = { ...type, Image: packedText(offset, bytes.length), N: 1 };
  const data = Buffer.concat([Buffer.alloc(offset), bytes, Buffer.alloc(5)]);

  expect(signatureOf(packed, data)).toEqual(signatureOf(inBase64));
});
