import type { RefusedText } from "./grid-view.ts";

const storedAs = "partita-studio-refused";

/** Stores the texts of refused cells for this tab, by cell. @returns false if they are too large for the browser */
export function keepRefused(refused: ReadonlyMap<string, RefusedText>): boolean {
  try {
    if (refused.size === 0) sessionStorage.removeItem(storedAs);
    else sessionStorage.setItem(storedAs, JSON.stringify([...refused]));
    return true;
  } catch {
    sessionStorage.removeItem(storedAs);
    return false;
  }
}

/** The refused texts of before a reload. */
export const keptRefused = (): ReadonlyMap<string, RefusedText> =>
  new Map(JSON.parse(sessionStorage.getItem(storedAs) ?? "[]") as readonly [string, RefusedText][]);
