/** The columns in view, and their positions. Lines have cells only for these. */
export interface ColumnWindow {
  /** Leading columns that do not scroll. */
  readonly pinned: number;
  /** The left edge of each column, if the grid is not scrolled. */
  readonly lefts: readonly number[];
  /** The first column in view that scrolls. */
  readonly first: number;
  /** The index after the last column in view. */
  readonly end: number;
  /** Pixels between the pinned columns and the first one in view. */
  readonly skipped: number;
  readonly width: number;
}

/** Pixels of the column with the check boxes. */
export const checkWidth = 58;
/** Pixels drawn on each side of the view. */
const margin = 200;

/**
 * @param pinned - number of leading pinned columns; those that would cover more than half of the view scroll
 */
export function columnWindow(
  widths: readonly number[],
  pinned: number,
  scrollLeft: number,
  viewport: number,
): ColumnWindow {
  const lefts: number[] = [];
  let width = checkWidth;
  for (const each of widths) {
    lefts.push(width);
    width += each;
  }
  const edge = (index: number): number => lefts[index] ?? width;
  let fixed = 0;
  while (fixed < pinned && edge(fixed + 1) <= viewport / 2) fixed++;
  let first = fixed;
  while (first < widths.length && edge(first + 1) < scrollLeft + edge(fixed) - margin) first++;
  let end = first;
  while (end < widths.length && edge(end) < scrollLeft + viewport + margin) end++;
  return { pinned: fixed, lefts, first, end, skipped: edge(first) - edge(fixed), width };
}

/** The columns of a window: pinned ones, then those in view. */
export const columnsIn = ({ pinned, first, end }: ColumnWindow): number[] => [
  ...Array.from({ length: pinned }, (_, i) => i),
  ...Array.from({ length: end - first }, (_, i) => first + i),
];

/** The position to scroll to for a column. Undefined if it is visible. */
export function scrollToColumn(
  column: number,
  { pinned, lefts, width }: ColumnWindow,
  scrollLeft: number,
  viewport: number,
): number | undefined {
  if (column < pinned) return undefined;
  const [left, right] = [lefts[column] ?? 0, lefts[column + 1] ?? width];
  const fixed = lefts[pinned] ?? width;
  // A column that is wider than the view starts at its left edge.
  if (left < scrollLeft + fixed || right - left > viewport - fixed) return left - fixed;
  if (right > scrollLeft + viewport) return right - viewport;
  return undefined;
}
