import type { Row, RowKey } from "../../api/cells.ts";
import { idOf, isSameKey } from "./row-keys.ts";
import type { RowList } from "./row-list.ts";

/** A line of the grid: a row of the list, or a child of one. */
export interface Line {
  readonly row: Row | undefined;
  /** 0 for a row of the list, 1 for its children, and so on. */
  readonly depth: number;
  readonly isExpanded: boolean;
}

/** The rows of a list, with the children of expanded rows between them. */
export class RowTree {
  readonly list: RowList;
  /** Child lines of each expanded row of the list, by its index, in order. */
  #below: { readonly at: number; readonly lines: readonly Line[] }[] = [];
  readonly #branches = new Map<string, readonly Row[]>();
  readonly #indexes = new Map<string, number>();
  /** The rows in another order than that of the list. */
  #sorted: readonly Row[] | undefined;

  constructor(list: RowList) {
    this.list = list;
  }

  get count(): number {
    const rows = this.#sorted?.length ?? this.list.count;
    return this.#below.reduce((sum, { lines }) => sum + lines.length, rows);
  }

  /** The number of rows that are sorted. Undefined in the order of the list. */
  get sortedCount(): number | undefined {
    return this.#sorted?.length;
  }

  /** Sorts the rows in memory, without their children. Undefined restores the order of the list. */
  sort(compare: ((a: Row, b: Row) => number) | undefined): void {
    this.#sorted = compare && this.list.loadedRows().toSorted(compare);
    this.#branches.clear();
    this.#indexes.clear();
    this.#layOut();
  }

  lineAt(index: number): Line {
    let before = 0;
    for (const { at: parent, lines } of this.#below) {
      const start = parent + before + 1;
      if (index < start) break;
      const line = lines[index - start];
      if (line !== undefined) return line;
      before += lines.length;
    }
    const at = index - before;
    const row = this.#sorted === undefined ? this.list.rowAt(at) : this.#sorted[at];
    return { row, depth: 0, isExpanded: row !== undefined && this.#branches.has(idOf(row)) };
  }

  /** The line of a row in memory. -1 if it is not there. */
  lineOf(key: RowKey): number {
    const isMeant = (row: Row | undefined): boolean => row !== undefined && isSameKey(row, key);
    const at = this.#sorted?.findIndex(isMeant) ?? this.list.findIndex(isMeant);
    let before = 0;
    for (const { at: parent, lines } of this.#below) {
      const child = lines.findIndex((line) => isMeant(line.row));
      if (child !== -1) return parent + before + 1 + child;
      if (at !== -1 && at <= parent) break;
      before += lines.length;
    }
    return at === -1 ? -1 : at + before;
  }

  /** Shows the children of a line. */
  expand(lineIndex: number, children: readonly Row[]): void {
    const { row, depth } = this.lineAt(lineIndex);
    if (row === undefined) return;
    this.#branches.set(idOf(row), children);
    if (depth === 0) this.#indexes.set(idOf(row), this.#listIndex(lineIndex));
    this.#layOut();
  }

  /** The expanded child rows. */
  childRows(): readonly Row[] {
    return [...this.#branches.values()].flat();
  }

  collapse(row: Row): void {
    this.#branches.delete(idOf(row));
    this.#indexes.delete(idOf(row));
    this.#layOut();
  }

  #listIndex(lineIndex: number): number {
    let before = 0;
    for (const { at, lines } of this.#below) if (at + before < lineIndex) before += lines.length;
    return lineIndex - before;
  }

  #layOut(): void {
    this.#below = [...this.#indexes]
      .map(([id, at]) => ({ at, lines: this.#linesOf(id, 1) }))
      .toSorted((a, b) => a.at - b.at);
  }

  #linesOf(id: string, depth: number): Line[] {
    const children = this.#branches.get(id) ?? [];
    return children.flatMap((row) => [
      { row, depth, isExpanded: this.#branches.has(idOf(row)) },
      ...this.#linesOf(idOf(row), depth + 1),
    ]);
  }
}
