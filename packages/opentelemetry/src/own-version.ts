/** Defined when the package is bundled. Sources don't have it. */
declare const PARTITA_VERSION: string | undefined;

/** The version of this package. */
export const ownVersion: string = typeof PARTITA_VERSION === "string" ? PARTITA_VERSION : "source";
