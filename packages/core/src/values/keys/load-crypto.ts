import type * as Crypto from "node:crypto";

/**
 * Node's cryptography, loaded when it is first used: it would be a third of what it costs to import Partita, and most
 * programs never ask for it.
 */
export const loadCrypto = (): typeof Crypto => process.getBuiltinModule("node:crypto");
