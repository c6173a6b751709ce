import type { Hash } from "node:crypto";

/**
 * Begins a digest. The first one loads `node:crypto`, which would be a third of what it costs to import Partita; most
 * programs never ask for it.
 */
export function digestBy(algorithm: "md5" | "sha256"): Hash {
  return process.getBuiltinModule("node:crypto").createHash(algorithm);
}
