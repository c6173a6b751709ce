import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { useStudio } from "../state/studio-context.ts";
import { lineAtTop, topOfLine } from "./scroll-window.ts";

/** The number of lines of the grid, and its visible pixels. */
interface Extent {
  readonly count: number;
  readonly viewport: number;
}

/** Notes the first visible line of the grid, and scrolls there when the rows of an address are shown again. */
export function usePosition(box: RefObject<HTMLElement | null>, extent: Extent): void {
  const studio = useStudio();
  const tree = studio.tree.value;
  const placed = useRef<unknown>(undefined);
  const latest = useRef(extent);
  latest.current = extent;
  useLayoutEffect(() => {
    const element = box.current;
    const line = studio.topLine.peek();
    if (element === null || placed.current === tree || (line > 0 && extent.count <= line)) return;
    placed.current = tree;
    element.scrollTo(0, topOfLine(line, extent.count, extent.viewport));
  }, [tree, extent.count]);
  useEffect(() => {
    const element = box.current;
    const note = (): void => {
      const { count, viewport } = latest.current;
      if (element !== null && placed.current === studio.tree.peek())
        studio.topLine.value = lineAtTop(count, element.scrollTop, viewport);
    };
    element?.addEventListener("scroll", note, { passive: true });
    return () => element?.removeEventListener("scroll", note);
  }, []);
}
