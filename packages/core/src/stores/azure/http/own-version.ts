/** Written when the package is bundled; sources have none. */
declare const PARTITA_VERSION: string | undefined;

/** The version of this package. */
export const ownVersion: string = typeof PARTITA_VERSION === "string" ? PARTITA_VERSION : "source";
