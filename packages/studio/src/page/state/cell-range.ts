/** A cell of the grid. Line -1 is the header. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** The cursor, and the corner opposite to it. They are the same cell if one cell is selected. */
export interface CellRange {
  readonly cursor: Position;
  readonly anchor: Position;
  /** Set for complete rows, columns or tables. The grid does not scroll to their ends. */
  readonly isWhole?: true;
}

/** The size of the grid. */
export interface GridSize {
  readonly lines: number;
  readonly columns: number;
  /** Lines of a page. */
  readonly page: number;
}

/** The edges of a range, all inside. */
export interface Rectangle {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

export const rangeAt = (line: number, column: number): CellRange => ({
  cursor: { line, column },
  anchor: { line, column },
});

export const rectangleOf = ({ cursor, anchor }: CellRange): Rectangle => ({
  top: Math.min(cursor.line, anchor.line),
  bottom: Math.max(cursor.line, anchor.line),
  left: Math.min(cursor.column, anchor.column),
  right: Math.max(cursor.column, anchor.column),
});

export const isInside = ({ top, bottom, left, right }: Rectangle, { line, column }: Position): boolean =>
  line >= top && line <= bottom && column >= left && column <= right;

/** The keys of an event. */
type Keys = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "shiftKey" | "altKey">;

/** The range after a key. Undefined for keys that do not move the cursor. */
export function moved(range: CellRange, event: Keys, size: GridSize): CellRange | undefined {
  const { lines, columns } = size;
  const far = event.ctrlKey || event.metaKey;
  const { cursor, anchor } = range;
  if (far && event.key === "a") return stretched(0, 0, lines - 1, columns - 1);
  if (far && event.key === " ") return stretched(0, anchor.column, lines - 1, cursor.column);
  if (event.shiftKey && event.key === " ") return stretched(anchor.line, 0, cursor.line, columns - 1);
  const target = targetOf(cursor, event, size);
  if (target === undefined) return undefined;
  // The header is not a part of ranges.
  const top = event.shiftKey ? 0 : -1;
  const line = Math.max(top, Math.min(lines - 1, target.line));
  const column = Math.max(0, Math.min(columns - 1, target.column));
  return event.shiftKey ? { anchor, cursor: { line, column } } : rangeAt(line, column);
}

const stretched = (top: number, left: number, bottom: number, right: number): CellRange => ({
  anchor: { line: top, column: left },
  cursor: { line: bottom, column: right },
  isWhole: true,
});

function targetOf(
  { line, column }: Position,
  { key, ctrlKey, metaKey }: Keys,
  { lines, columns, page }: GridSize,
): Position | undefined {
  const far = ctrlKey || metaKey;
  const [lastLine, lastColumn] = [lines - 1, columns - 1];
  switch (key) {
    case "ArrowDown":
      return { line: far ? lastLine : line + 1, column };
    case "ArrowUp":
      return { line: far ? 0 : line - 1, column };
    case "ArrowRight":
      return { line, column: far ? lastColumn : column + 1 };
    case "ArrowLeft":
      return { line, column: far ? 0 : column - 1 };
    case "PageDown":
      return { line: line + page, column };
    case "PageUp":
      return { line: Math.max(0, line - page), column };
    case "Home":
      return { line: far ? 0 : line, column: 0 };
    case "End":
      return { line: far ? lastLine : line, column: lastColumn };
    default:
      return undefined;
  }
}
