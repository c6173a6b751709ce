import { fc } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import { decodeBase64, isBase64 } from "../../../src/values/edm/base64.ts";
import { maxBinaryBytes } from "../../../src/values/edm/binary.ts";

/** What the service takes: whole groups of the standard alphabet, the last one padded. */
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** What decoders are lenient with; U+0141 is an A to those that look at the lower byte alone. */
const strangers = ["-", "_", "=", " ", "\n", "\0", "\u0141", "é", "AA", ""];

/** Base64 of short and of long arrays, with one of its characters replaced. */
const changedTexts = fc
  .tuple(fc.uint8Array({ maxLength: 120 }), fc.nat(200), fc.constantFrom(...strangers, "A"))
  .map(([bytes, at, stranger]) => {
    const text = Buffer.from(bytes).toString("base64");
    return text.slice(0, at) + stranger + text.slice(at + 1);
  });

describe("base64 text", () => {
  it("is what the alphabet of the service allows, however long it is", () => {
    fc.assert(
      fc.property(changedTexts, (text) => {
        expect(isBase64(text)).toBe(base64.test(text));
        expect(decodeBase64(text) !== undefined).toBe(base64.test(text));
      }),
      { numRuns: 3000, seed: 1 },
    );
  });

  it("comes back as the bytes that it was made of", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(decodeBase64(Buffer.from(bytes).toString("base64"))).toEqual(bytes);
      }),
      { seed: 1 },
    );
  });

  it.each(["-", "_", " ", "=", "\u0141"])("with %j among 64 KiB is refused", (stranger) => {
    const text = Buffer.alloc(maxBinaryBytes, 3).toString("base64");
    for (const at of [0, 40_001, text.length - 5, text.length - 3]) {
      const changed = text.slice(0, at) + stranger + text.slice(at + 1);
      expect(isBase64(changed)).toBe(false);
      expect(decodeBase64(changed)).toBeUndefined();
    }
    expect(isBase64(text)).toBe(true);
    expect(decodeBase64(text)).toHaveLength(maxBinaryBytes);
  });

  it("may have unused bits set in its last group", () => {
    const groups = "QUJD".repeat(20);
    for (const last of ["QR==", "QUJ=", "QUK="]) {
      expect(isBase64(groups + last)).toBe(true);
      expect(decodeBase64(groups + last)).toEqual(new Uint8Array(Buffer.from(groups + last, "base64")));
    }
  });
});
