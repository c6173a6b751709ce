import { createHash } from "node:crypto";

/** Bytes without a pattern, the same in every run. */
export function noise(length: number, seed = 0): Uint8Array<ArrayBuffer> {
  if (length === 0) return new Uint8Array();
  return new Uint8Array(createHash("shake256", { outputLength: length }).update(String(seed)).digest());
}
