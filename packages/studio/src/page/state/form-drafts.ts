import type { DraftField } from "../form/draft.ts";
import type { Panel } from "./shown-parts.ts";
import { keepInTab, keptInTab } from "./tab-storage.ts";

/** The open panel of a table, with what the user has typed into its form. */
export interface PanelDraft {
  readonly table: string;
  readonly panel: Panel;
  /** Undefined for a form without changes. */
  readonly fields: readonly DraftField[] | undefined;
}

const storedAs = "partita-studio-panel";

/** Stores the panel for this tab. A reload opens it again. @returns false if it is too large for the browser */
export const keepPanel = (draft: PanelDraft | undefined): boolean => keepInTab(storedAs, draft);

/** The panel that was open before a reload. */
export const keptPanel = (): PanelDraft | undefined => keptInTab(storedAs);
