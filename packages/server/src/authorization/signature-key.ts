import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto";

/** An account's key, imported once for all signatures. */
export type SignatureKey = KeyObject;

/** @param key - in base64 */
export const signatureKey = (key: string): SignatureKey => createSecretKey(Buffer.from(key, "base64"));

/**
 * Whether a signature matches a text, in constant time. It compares base64 text, since Node decodes many invalid texts
 * to the same bytes.
 */
export function isSignature(signature: string | undefined, text: string, key: SignatureKey): boolean {
  const expected = Buffer.from(createHmac("sha256", key).update(text).digest("base64"));
  const given = Buffer.from(signature ?? "");
  return given.length === expected.length && timingSafeEqual(given, expected);
}
