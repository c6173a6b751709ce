/** The ids of the header's cells in the document. */
export const headerCellId = (column: number): string => `head-${column}`;

/** The ids of a line's cells in the document. */
export const lineCellId = (line: number, column: number): string => `cell-${line}-${column}`;

/** The position of a cell that contains an element. */
export function cellOfElement(target: EventTarget | null): { line: number; column: number } | undefined {
  const id = (target as Partial<Element> | null)?.closest?.("[id^=cell-]")?.id;
  const [line, column] = (id ?? "").split("-").slice(1).map(Number);
  return line === undefined || column === undefined ? undefined : { line, column };
}
