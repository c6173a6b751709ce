import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto";

/** An account's key, read once for all signatures that are checked with it. */
export type SignatureKey = KeyObject;

/** @param key - in base64 */
export const signatureKey = (key: string): SignatureKey => createSecretKey(Buffer.from(key, "base64"));

/**
 * Whether a signature is that of a text. Compares in a time that does not show how much of it is right. As text: Node
 * reads the same bytes out of many texts that are no base64.
 */
export function isSignature(signature: string | undefined, text: string, key: SignatureKey): boolean {
  const expected = Buffer.from(createHmac("sha256", key).update(text).digest("base64"));
  const given = Buffer.from(signature ?? "");
  return given.length === expected.length && timingSafeEqual(given, expected);
}
