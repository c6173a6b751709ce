/** Defined when the package is bundled; not in the sources. */
declare const PARTITA_VERSION: string | undefined;

/** The version of this package. */
export const ownVersion: string = typeof PARTITA_VERSION === "string" ? PARTITA_VERSION : "source";
