import type { CellChange, CellType, CellValue, Row } from "../../api/cells.ts";
import type { RefusedCell, RowEdit } from "../../api/grid-edits.ts";
import type { GridColumn } from "../grid/columns.ts";
import { parseCell } from "../text/cell-text.ts";
import { idOf, keyOf } from "./row-keys.ts";
import type { GridHost } from "./grid-host.ts";
import { cellId, type GridView, type RefusedText } from "./grid-view.ts";

/** A new value of a cell: a change, or the text that is not a value of its type. */
export type CellEdit = { readonly row: Row; readonly name: string; readonly text: string } & (
  | { readonly change: CellChange }
  | { readonly problem: string }
);

/** The edit of a cell to what the user wrote. No text clears a value, unless it is a String. */
export function editTo(
  row: Row,
  column: GridColumn,
  text: string,
  type: CellType | undefined = column.typeIn(row),
): CellEdit {
  const { name } = column;
  const about = { row, name, text };
  if (type === undefined) return { ...about, problem: fixedText(column) };
  if (text === "" && type !== "String") return { ...about, change: { name, type, value: null } };
  const before = column.cellOf(row)?.[2];
  try {
    const value = parseCell(text, type, typeof before === "string" ? before : "");
    return { ...about, change: { name, type, value } };
  } catch (error) {
    return { ...about, problem: (error as Error).message };
  }
}

/** The edit of a cell to a value of a type, or to none. The types of classes are fixed. */
export function editToValue(
  row: Row,
  column: GridColumn,
  type: CellType,
  value: CellValue,
  text: string,
): CellEdit {
  const { name } = column;
  const own = column.typeIn(row);
  if (own === undefined) return { row, name, text, problem: fixedText(column) };
  if (value === null || own === type) return { row, name, text, change: { name, type: own, value } };
  if (row.className !== undefined || type === "Json")
    return editTo(row, column, text, row.className === undefined ? "String" : own);
  return { row, name, text, change: { name, type, value } };
}

/** The reason why a cell cannot be edited. */
export const fixedText = ({ isKey, name }: GridColumn): string =>
  isKey
    ? "A stored row cannot change its key. Clone it, and delete this one."
    : `${name} cannot be changed in this row.`;

/** Maximum rows of one request. */
const maxRowsAtOnce = 500;

/** Stages edits of cells, in the order of the calls. The refused ones are marked at their cells. */
export class CellEdits {
  readonly #host: GridHost;
  readonly #grid: GridView;
  #last: Promise<unknown> = Promise.resolve();

  constructor(host: GridHost, grid: GridView) {
    this.#host = host;
    this.#grid = grid;
  }

  /** @returns the number of refused cells */
  stage(table: string, edits: readonly CellEdit[]): Promise<number> {
    const staged = this.#last.then(() => this.#stage(table, edits));
    this.#last = staged.catch(() => undefined);
    return staged;
  }

  async #stage(table: string, edits: readonly CellEdit[]): Promise<number> {
    const host = this.#host;
    const refused: RefusedCell[] = edits.flatMap((edit) =>
      "problem" in edit ? [{ ...keyOf(edit.row), name: edit.name, message: edit.problem }] : [],
    );
    const rows = rowEdits(edits);
    let sent = 0;
    await host.attempt(async () => {
      for (; sent < rows.length; sent += maxRowsAtOnce) {
        const result = await host.api.editCells(table, rows.slice(sent, sent + maxRowsAtOnce));
        host.staged.value = result.staged;
        refused.push(...result.refused);
      }
    });
    refused.push(
      ...rows.slice(sent).map((row) => ({ ...keyOf(row), message: "The request to stage it failed." })),
    );
    this.#grid.refused.value = withRefused(table, this.#grid.refused.value, edits, refused);
    return refused.length;
  }
}

function rowEdits(edits: readonly CellEdit[]): RowEdit[] {
  const rows = new Map<Row, CellChange[]>();
  for (const edit of edits)
    if ("change" in edit) rows.set(edit.row, [...(rows.get(edit.row) ?? []), edit.change]);
  return [...rows].map(([row, changes]) => ({
    ...keyOf(row),
    className: row.className,
    etag: row.etag,
    changes,
  }));
}

/** The marks of refused cells after some cells were edited. */
function withRefused(
  table: string,
  marked: ReadonlyMap<string, RefusedText>,
  edits: readonly CellEdit[],
  refused: readonly RefusedCell[],
): ReadonlyMap<string, RefusedText> {
  const after = new Map(marked);
  const ofRows = new Map(refused.filter(({ name }) => name === undefined).map((cell) => [idOf(cell), cell]));
  const ofCells = new Map(refused.map((cell) => [cellId(table, cell, cell.name ?? ""), cell]));
  for (const { row, name, text } of edits) {
    const found = ofCells.get(cellId(table, row, name)) ?? ofRows.get(idOf(row));
    if (found === undefined) after.delete(cellId(table, row, name));
    else after.set(cellId(table, row, name), { table, row: keyOf(row), name, message: found.message, text });
  }
  return after;
}
