import type { Row } from "../../api/cells.ts";
import type { PastedRows } from "../../api/grid-edits.ts";
import type { FileForm } from "../../api/transfers.ts";
import { type CellTable, hasRows, textAsCells, typedCells } from "../grid/range-text.ts";
import { cellLine } from "../text/cell-text.ts";
import { counted } from "../text/counted.ts";
import { type CellEdit, CellEdits, editTo, editToValue } from "./cell-edits.ts";
import { rectangleOf } from "./cell-range.ts";
import type { GridHost } from "./grid-host.ts";
import type { GridView } from "./grid-view.ts";
import { keyOf } from "./row-keys.ts";

/** Maximum cells and rows of a range that is copied, pasted to or cleared. */
const [maxCells, maxLines] = [500_000, 10_000];

/** Copies and pastes rows, and ranges of cells. Pasted values are staged. */
export class GridClipboard {
  readonly edits: CellEdits;
  readonly #host: GridHost;
  readonly #grid: GridView;

  constructor(host: GridHost, grid: GridView) {
    this.#host = host;
    this.#grid = grid;
    this.edits = new CellEdits(host, grid);
  }

  /** Copies complete stored rows, with their types. */
  async copyRows(rows: readonly Row[], format: FileForm): Promise<void> {
    const host = this.#host;
    await host.attempt(async () => {
      const keys = rows.map(keyOf);
      const { text, missing } = await host.api.copy(host.table.value ?? "", keys, format);
      await navigator.clipboard.writeText(text);
      const copied = `${counted(rows.length - missing, "row")} copied as ${format === "csv" ? "CSV" : "JSON"}, with types.`;
      if (missing === 0) host.say(copied);
      else host.fail(`${copied} ${counted(missing, "row")} no longer exist.`);
    });
  }

  /** The cells of the range, with staged values. Undefined if some are not in memory, which is reported. */
  cells(): CellTable | undefined {
    const grid = this.#grid;
    const { left, right } = rectangleOf(grid.range.value);
    const columns = grid.shown.value.slice(left, right + 1);
    return this.#rows()?.map((row) => columns.map((column) => grid.cellOf(column, row)));
  }

  /** Clears the values of the range. */
  async clear(): Promise<void> {
    const grid = this.#grid;
    const { left, right } = rectangleOf(grid.range.value);
    const columns = grid.shown.value.slice(left, right + 1);
    const edits = this.#rows()?.flatMap((row) =>
      columns
        .filter((column) => grid.cellOf(column, row) !== undefined)
        .map((column) => editToValue(row, column, "String", null, "")),
    );
    if (edits !== undefined) await this.#stage(edits, "cleared");
  }

  /** @param json - cells with types, if this page copied them */
  async paste(text: string, json: string): Promise<void> {
    if (this.#host.info.value?.isReadOnly === true)
      return this.#host.fail("This studio was opened read-only, so nothing can be pasted.");
    if (json === "" && hasRows(text)) return this.#pasteRows(text);
    const typed = typedCells(json);
    const texts = typed?.map((line) => line.map((cell) => cellLine(cell?.[2]))) ?? textAsCells(text);
    const edits = this.#pasteEdits(texts, typed);
    if (edits !== undefined) await this.#stage(edits, "pasted");
  }

  /** The edits of the cells under a pasted table. One cell fills the whole range. */
  #pasteEdits(texts: readonly (readonly string[])[], typed: CellTable | undefined): CellEdit[] | undefined {
    const grid = this.#grid;
    const { top, bottom, left, right } = rectangleOf(grid.range.value);
    const isOne = texts.length === 1 && texts[0]?.length === 1;
    const [height, width] = isOne
      ? [bottom - top + 1, right - left + 1]
      : [texts.length, Math.max(...texts.map((line) => line.length))];
    const columns = grid.shown.value.slice(left, left + width);
    if (columns.length < width || top + height > (this.#host.tree.value?.count ?? 0)) {
      this.#host.fail(`${height} × ${width} cells do not fit here. Nothing was pasted.`);
      return undefined;
    }
    const rows = this.#rows(top, top + height - 1, width);
    return rows?.flatMap((row, i) =>
      columns.flatMap((column, k): CellEdit[] => {
        const [line, at] = isOne ? [0, 0] : [i, k];
        const text = texts[line]?.[at];
        // Lines may have fewer cells than the longest one.
        if (text === undefined) return [];
        if (typed === undefined) return [editTo(row, column, text)];
        const [, type, value] = typed[line]?.[at] ?? ["", "String", null];
        return [editToValue(row, column, type, value, text)];
      }),
    );
  }

  /** Rows are pasted by their keys, wherever the cursor is. */
  async #pasteRows(text: string): Promise<void> {
    const host = this.#host;
    await host.attempt(async () => {
      const result = await host.api.paste(host.table.value ?? "", host.className.value, text);
      host.staged.value = result.staged;
      if (result.added > 0) host.show({ type: "staged" });
      const [first] = result.refused;
      if (first === undefined) host.say(pastedText(result));
      else host.fail(`${pastedText(result)} ${counted(result.refused.length, "row")} not staged. ${first}`);
    });
  }

  async #stage(edits: readonly CellEdit[], what: string): Promise<void> {
    const refused = await this.edits.stage(this.#host.table.value ?? "", edits);
    if (refused === 0 && edits.length > 0) this.#host.say(`${counted(edits.length, "cell")} ${what}.`);
  }

  /** The rows of lines, by default those of the range. Undefined, with a message, if they are not in memory. */
  #rows(
    top = rectangleOf(this.#grid.range.value).top,
    bottom = rectangleOf(this.#grid.range.value).bottom,
    width = this.#grid.shown.value.length,
  ): readonly Row[] | undefined {
    const tree = this.#host.tree.value;
    const count = bottom - top + 1;
    if (tree === undefined || tree.count === 0 || top < 0) return undefined;
    if (count > maxLines || count * width > maxCells) {
      this.#host.fail(
        `This range has ${count.toLocaleString("en")} rows. Select at most ${maxLines.toLocaleString("en")} rows and ${maxCells.toLocaleString("en")} cells.`,
      );
      return undefined;
    }
    const rows = Array.from({ length: count }, (_, i) => tree.lineAt(top + i).row);
    if (rows.every((row) => row !== undefined)) return rows;
    this.#host.fail("Some rows of this range are not in memory yet. They are read now. Repeat the action.");
    return undefined;
  }
}

const pastedText = ({ added, changed, unchanged }: PastedRows): string =>
  `Staged: ${counted(added, "new row")}, ${counted(changed, "changed row")}. ${counted(unchanged, "row")} already stored.`;
