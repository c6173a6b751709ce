import type { RefusedText } from "./grid-view.ts";
import { keepInTab, keptInTab } from "./tab-storage.ts";

const storedAs = "partita-studio-refused";

/** Stores the texts of refused cells for this tab, by cell. @returns false if they are too large for the browser */
export const keepRefused = (refused: ReadonlyMap<string, RefusedText>): boolean =>
  keepInTab(storedAs, refused.size === 0 ? undefined : [...refused]);

/** The refused texts of before a reload. */
export const keptRefused = (): ReadonlyMap<string, RefusedText> =>
  new Map(keptInTab<readonly [string, RefusedText][]>(storedAs));
