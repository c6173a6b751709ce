import { writeFile } from "node:fs/promises";
import type { PageRange, PageRangesOptions as PageBlobOptions } from "@partita/page-blobs";
import { inSession, type Session } from "../session/session.ts";
import { counted, formatBytes } from "../terminal/amounts.ts";
import { Density } from "./density.ts";
import { printMap, svgCells, svgMap, terminalCells } from "./print-map.ts";

/** Options as given. */
interface PageRangesOptions {
  readonly blob?: string;
  readonly segment?: number;
  readonly timeout?: number;
  readonly snapshot?: string;
  readonly from?: number;
  readonly join?: boolean;
  readonly list?: boolean;
  readonly svg?: string;
}

/**
 * `partita page-ranges`: shows the written pages of a page blob. Returns the exit code: 130 if it was
 * stopped.
 */
export function pageRanges([target = ""]: readonly string[], options: PageRangesOptions): Promise<number> {
  const { blob, from, list = false, svg } = options;
  const found = new Found(from);
  return inSession(async (session) => {
    const { out, say } = session;
    const { openPageBlob } = await import("@partita/page-blobs");
    await using disk = await openPageBlob(target, blob === undefined ? {} : { blob });
    try {
      for await (const range of disk.pageRanges(readingOf(options, found, session))) {
        found.add(range);
        if (list) await out.line(`${range.start}-${range.end}`);
      }
    } catch (error) {
      if (found.count > 0 || found.size > 0)
        say(`Read as far as byte ${found.next}. Continue with --from ${found.next}.`);
      throw error;
    }
    const { size, density } = found;
    if (!list && size > 0) await out.line(printMap(density.shares(size, terminalCells), size));
    if (list) say(found.summary());
    else await out.line(found.summary());
    if (svg !== undefined)
      await writeFile(svg, svgMap(density.shares(size, svgCells), size, `${disk.url}: ${found.summary()}`));
    return 0;
  });
}

/**
 * The options of the library. With a list, there is no progress bar, because both would use the same lines.
 */
const readingOf = (
  { segment, timeout, snapshot, from, join = false, list = false }: PageRangesOptions,
  found: Found,
  { bar, signal }: Session,
): PageBlobOptions => ({
  join,
  signal,
  segmentBytes: segment,
  timeoutMs: timeout === undefined ? undefined : timeout * 1000,
  snapshot,
  from,
  onProgress(progress) {
    ({ size: found.size, calls: found.calls } = progress);
    if (!list) bar.show(progress);
  },
});

/** The ranges found so far. */
class Found {
  readonly density: Density = new Density();
  size = 0;
  calls = 0;
  count = 0;
  /** The end of the last range. */
  next: number;
  #written = 0;
  #largest = 0;

  constructor(from: number = 0) {
    this.next = from;
  }

  add(range: PageRange): void {
    const bytes = range.end - range.start + 1;
    this.density.add(range);
    this.count++;
    this.next = range.end + 1;
    this.#written += bytes;
    this.#largest = Math.max(this.#largest, bytes);
  }

  summary(): string {
    const share = this.size === 0 ? 0 : (this.#written / this.size) * 100;
    const percent = share > 0 && share < 0.1 ? "less than 0.1" : share.toFixed(1);
    return `${formatBytes(this.#written)} of ${formatBytes(this.size)} are written (${percent} %), in ${this.count.toLocaleString("en")} ranges of ${formatBytes(this.#largest)} at most; ${counted(this.calls, "call")}.`;
  }
}
