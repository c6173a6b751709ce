import type * as Saving from "../save/saving.ts";

let loaded: typeof Saving | undefined;

/**
 * What saves need, loaded by the first one: it would be a sixth of what it costs to import Partita, and a program that
 * only reads never asks for it.
 */
export const loadSaving = async (): Promise<typeof Saving> => (loaded ??= await import("../save/saving.ts"));
