import type { Row } from "../../api/cells.ts";
import type { OpenRow } from "../../api/staged.ts";
import type { ClassInfo } from "../../api/tables.ts";

export const views = ["rows", "kinds", "keys", "upgrade", "table"] as const;

/** The main view of a table. */
export type View = (typeof views)[number];

/** Whether a table with these classes has a view. */
export function isViewOf(classes: readonly ClassInfo[], view: View): boolean {
  if (view === "kinds") return classes.length > 0;
  return view !== "upgrade" || classes.some((each) => each.hasUpgrades);
}

/** The contents of the side panel. */
export type Panel =
  | { readonly type: "row"; readonly row: OpenRow }
  | { readonly type: "new"; readonly from: Row | undefined }
  | { readonly type: "many" }
  | { readonly type: "staged" };

/** A message for the user, read aloud by screen readers. */
export interface Notice {
  readonly text: string;
  readonly isError: boolean;
}
