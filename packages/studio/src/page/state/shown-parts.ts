import type { Row } from "../../api/cells.ts";
import type { OpenRow } from "../../api/staged.ts";

/** The main view of a table. */
export type View = "rows" | "kinds" | "keys" | "upgrade" | "table";

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
