/** Pixels of a line. */
export const lineHeight = 28;
/** Browsers draw no element beyond some 17 to 33 million pixels; longer lists scroll proportionally. */
const maxHeight = 8_000_000;

/** Which lines of a list are seen, and where: lists of any length, in an element of bounded height. */
export interface ScrollWindow {
  /** Height of the element that scrolls. */
  readonly height: number;
  readonly first: number;
  /** Behind the last one. */
  readonly end: number;
  /** Where the first line stands in the element. */
  readonly top: number;
}

/** @param viewport - pixels that are seen at once */
export function scrollWindow(count: number, scrollTop: number, viewport: number): ScrollWindow {
  const height = Math.min(count * lineHeight, maxHeight);
  const offset = offsetOf(count, scrollTop, viewport);
  const first = Math.max(0, Math.floor(offset / lineHeight) - 4);
  const end = Math.min(count, Math.ceil((offset + viewport) / lineHeight) + 4);
  return { height, first, end, top: scrollTop + first * lineHeight - offset };
}

/** Where to scroll to, so that a line is seen; undefined when it is. */
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

/** Pixels above the window, as if the element had its whole height. */
const offsetOf = (count: number, scrollTop: number, viewport: number): number =>
  Math.max(0, scrollTop * ratioOf(count, viewport));

const scrollTopOf = (offset: number, count: number, viewport: number): number =>
  offset / ratioOf(count, viewport);

function ratioOf(count: number, viewport: number): number {
  const whole = count * lineHeight;
  return whole <= maxHeight ? 1 : (whole - viewport) / (maxHeight - viewport);
}
