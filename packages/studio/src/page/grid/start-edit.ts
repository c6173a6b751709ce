import { fieldId } from "../form/use-field-errors.ts";
import { fixedText } from "../state/cell-edits.ts";
import type { Position } from "../state/cell-range.ts";
import type { StudioState } from "../state/studio-state.ts";
import { cellText } from "../text/cell-text.ts";

/** The longest text that is edited in a cell. Longer ones, and those of several lines, need a form. */
const maxText = 200;

/**
 * Edits a cell. A value that does not fit into a cell, or cannot change, is shown in the form of its row.
 *
 * @param typed - the first character of a new value
 */
export function startEdit(studio: StudioState, { line, column: at }: Position, typed?: string): void {
  const { grid } = studio;
  const row = studio.tree.value?.lineAt(line).row;
  const column = grid.shown.value[at];
  if (row === undefined || column === undefined) return;
  const type = column.typeIn(row);
  const cell = grid.cellOf(column, row);
  const before = cellText(cell?.[2], cell?.[1] ?? "String");
  const isShort = before.length <= maxText && !/\p{Cc}/u.test(before);
  const isInForm = type === undefined || type === "Json" || !isShort;
  if (studio.info.value?.isReadOnly === true || isInForm) {
    if (typed === undefined) void studio.openRow(row).then(() => focusField(column.name));
    else if (studio.info.value?.isReadOnly === true) studio.say("This studio was opened read-only.");
    else studio.say(type === undefined ? fixedText(column) : "Press Enter to edit this value in a form.");
    return;
  }
  const text = typed ?? grid.refusedIn(column, row)?.text ?? before;
  grid.written = text;
  grid.edited.value = { table: studio.table.value ?? "", row, column, before, text };
}

/** Focuses a field that can be edited. */
function focusField(name: string): void {
  requestAnimationFrame(() => {
    const field = document.getElementById(fieldId(name));
    if (field?.matches(":not([readonly])") === true) field.focus();
  });
}
