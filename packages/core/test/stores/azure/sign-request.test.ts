import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { requestSigner, type SignedParts } from "../../../src/stores/azure/credentials/sign-request.ts";

const parts: SignedParts = {
  method: "POST",
  path: "/acct/Things",
  contentType: "application/json",
  date: "Sat, 21 Nov 2026 00:52:49 GMT",
  comp: "acl",
};
const base64Of = (key: Buffer, text: string): string =>
  createHmac("sha256", key).update(text).digest("base64");

// Shorter than the block of the hash, as long, and longer: HMAC treats them differently.
test.each([1, 32, 64, 65, 200])("signs with a key of %d bytes", (length) => {
  const key = Buffer.alloc(length, 7);

  expect(requestSigner("acct", key, "SharedKeyLite")(parts)).toBe(
    `SharedKeyLite acct:${base64Of(key, `${parts.date}\n/acct/acct/Things?comp=acl`)}`,
  );
  expect(requestSigner("acct", key, "SharedKey")(parts)).toBe(
    `SharedKey acct:${base64Of(key, `POST\n\napplication/json\n${parts.date}\n/acct/acct/Things?comp=acl`)}`,
  );
});

test("the key is read once, and is not read out of the function", () => {
  const key = Buffer.alloc(64, 7);
  const sign = requestSigner("acct", key, "SharedKeyLite");
  const signature = sign(parts);

  key.fill(0);

  expect(sign(parts)).toBe(signature);
});
