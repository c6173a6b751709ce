import type { DraftField } from "../form/draft.ts";
import type { Panel } from "./shown-parts.ts";

/** The open panel of a table, with what the user has typed into its form. */
export interface PanelDraft {
  readonly table: string;
  readonly panel: Panel;
  /** Undefined for a form without changes. */
  readonly fields: readonly DraftField[] | undefined;
}

const storedAs = "partita-studio-panel";

/** Stores the panel for this tab. A reload opens it again. @returns false if it is too large for the browser */
export function keepPanel(draft: PanelDraft | undefined): boolean {
  try {
    if (draft === undefined) sessionStorage.removeItem(storedAs);
    else sessionStorage.setItem(storedAs, JSON.stringify(draft));
    return true;
  } catch {
    sessionStorage.removeItem(storedAs);
    return false;
  }
}

/** The panel that was open before a reload. */
export function keptPanel(): PanelDraft | undefined {
  const stored = sessionStorage.getItem(storedAs);
  return stored === null ? undefined : (JSON.parse(stored) as PanelDraft);
}
