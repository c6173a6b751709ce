/** Pixels between a box and the edges of the window. */
const gap = 4;

/** Places a fixed box below its anchor, inside the window. */
export function placeBelow(box: HTMLElement, anchor: DOMRect): void {
  const left = Math.min(anchor.right - box.offsetWidth, innerWidth - box.offsetWidth - gap);
  const top = Math.min(anchor.bottom, innerHeight - box.offsetHeight - gap);
  box.style.left = `${Math.max(gap, left)}px`;
  box.style.top = `${Math.max(gap, top)}px`;
}
