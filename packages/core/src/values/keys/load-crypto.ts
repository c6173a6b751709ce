import type * as Crypto from "node:crypto";

/**
 * Node's cryptography, loaded when it is first used: it would take a third of the time to import Partita, and most
 * programs never need it.
 */
export const loadCrypto = (): typeof Crypto => process.getBuiltinModule("node:crypto");
