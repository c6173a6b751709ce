/** Pixels of a line. */
export const lineHeight = 28;
/** Browsers draw no element beyond some 17 to 33 million pixels. Longer lists scroll proportionally. */
const maxHeight = 8_000_000;

/**
 * The visible lines of a list, and their position. Lists of any length fit into an element of bounded height.
 */
export interface ScrollWindow {
  /** Height of the scrolling element. */
  readonly height: number;
  readonly first: number;
  /** The index after the last visible line. */
  readonly end: number;
  /** The position of the first line in the element. */
  readonly top: number;
}

/** @param viewport - visible pixels */
export function scrollWindow(count: number, scrollTop: number, viewport: number): ScrollWindow {
  const height = Math.min(count * lineHeight, maxHeight);
  const offset = offsetOf(count, scrollTop, viewport);
  const first = Math.max(0, Math.floor(offset / lineHeight) - 4);
  const end = Math.min(count, Math.ceil((offset + viewport) / lineHeight) + 4);
  return { height, first, end, top: scrollTop + first * lineHeight - offset };
}

/** The position to scroll to for a line. Undefined if the line is visible. */
export function scrollTo(
  line: number,
  count: number,
  scrollTop: number,
  viewport: number,
): number | undefined {
  const offset = offsetOf(count, scrollTop, viewport);
  const [top, bottom] = [line * lineHeight, (line + 1) * lineHeight];
  if (top < offset) return scrollTopOf(top, count, viewport);
  if (bottom > offset + viewport) return scrollTopOf(bottom - viewport, count, viewport);
  return undefined;
}

/** The first line that is completely visible. */
export const lineAtTop = (count: number, scrollTop: number, viewport: number): number =>
  Math.ceil(offsetOf(count, scrollTop, viewport) / lineHeight - 0.01);

/** The position at which a line is the first one. */
export const topOfLine = (line: number, count: number, viewport: number): number =>
  scrollTopOf(line * lineHeight, count, viewport);

/** Pixels above the window, as if the element had its full height. */
const offsetOf = (count: number, scrollTop: number, viewport: number): number =>
  Math.max(0, scrollTop * ratioOf(count, viewport));

const scrollTopOf = (offset: number, count: number, viewport: number): number =>
  offset / ratioOf(count, viewport);

function ratioOf(count: number, viewport: number): number {
  const whole = count * lineHeight;
  return whole <= maxHeight ? 1 : (whole - viewport) / (maxHeight - viewport);
}
