import { createHmac } from "node:crypto";
import { fc, test as propertyTest } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { hmacOf } from "../../../src/stores/azure/credentials/hmac.ts";

const byNode = (key: Uint8Array, text: string): string =>
  createHmac("sha256", key).update(text).digest("base64");

propertyTest.prop(
  [
    fc.uint8Array({ maxLength: 200 }),
    fc.array(fc.string({ unit: "binary", maxLength: 3000 }), { maxLength: 5 }),
  ],
  { numRuns: 500 },
)("texts are signed as Node's HMAC signs them, one after the other with the same key", (key, texts) => {
  const sign = hmacOf(key);

  for (const text of texts) expect(sign(text)).toBe(byNode(key, text));
});

test("keys of a block and texts at the limit are signed as Node's HMAC signs them", () => {
  for (const keyLength of [0, 1, 63, 64, 65, 200]) {
    const key = new Uint8Array(keyLength).fill(0xa5);
    const sign = hmacOf(key);
    for (const text of [
      "",
      "ü",
      "\u{1f600}".repeat(682),
      "x".repeat(1365),
      "x".repeat(1366),
      "€".repeat(1365),
      "y".repeat(9000),
    ])
      expect(sign(text)).toBe(byNode(key, text));
  }
});
