import { writeFile } from "node:fs/promises";
import type { PageBlob, PageRange, PageRangesOptions } from "@partita/page-blobs";
import { Density } from "./density.ts";
import { formatBytes } from "../terminal/amounts.ts";
import {
  type PageRangesArguments,
  type PageRangesTexts,
  readPageRangesArguments,
} from "./page-ranges-arguments.ts";
import { printMap, svgCells, svgMap, terminalCells } from "./print-map.ts";
import { progressBar } from "../terminal/progress-bar.ts";

/** `partita page-ranges`: shows which pages of a page blob are written. Returns the exit code: 130 when it was stopped. */
export async function pageRanges(args: readonly string[], options: PageRangesTexts): Promise<number> {
  const asked = readPageRangesArguments(args, options);
  const { openPageBlob } = await import("@partita/page-blobs");
  await using disk = await openPageBlob(asked.target, asked.blob === undefined ? {} : { blob: asked.blob });
  const stop = new AbortController();
  const end = (): void => stop.abort();
  process.once("SIGINT", end);
  const found = new Found(asked.from);
  try {
    await read(disk, asked, found, stop.signal);
  } catch (error) {
    if (found.count > 0 || found.size > 0)
      console.error(`Read as far as byte ${found.next}: --from ${found.next} goes on there.`);
    if (!stop.signal.aborted) throw error;
    return 130;
  } finally {
    process.off("SIGINT", end);
  }
  const { size, density } = found;
  if (!asked.isListed && size > 0) console.log(printMap(density.shares(size, terminalCells), size));
  const print = asked.isListed ? console.error : console.log;
  print(found.summary());
  if (asked.svg !== undefined)
    await writeFile(
      asked.svg,
      svgMap(density.shares(size, svgCells), size, `${disk.url}: ${found.summary()}`),
    );
  return 0;
}

async function read(
  disk: PageBlob,
  { isJoined, isListed, segmentBytes, timeoutMs, snapshot, from }: PageRangesArguments,
  found: Found,
  signal: AbortSignal,
): Promise<void> {
  const bar = progressBar();
  const options: PageRangesOptions = {
    join: isJoined,
    signal,
    segmentBytes,
    timeoutMs,
    snapshot,
    from,
    onProgress(progress) {
      ({ size: found.size, calls: found.calls } = progress);
      // Lines of a list would run into it.
      if (!isListed) bar.show(progress);
    },
  };
  try {
    for await (const range of disk.pageRanges(options)) {
      found.add(range);
      if (isListed) console.log(`${range.start}-${range.end}`);
    }
  } finally {
    bar.end();
  }
}

/** What was found so far. */
class Found {
  readonly density: Density = new Density();
  size = 0;
  calls = 0;
  count = 0;
  /** Behind the last range. */
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
    return `${formatBytes(this.#written)} of ${formatBytes(this.size)} are written (${percent} %), in ${this.count.toLocaleString("en")} ranges of ${formatBytes(this.#largest)} at most; ${this.calls} ${this.calls === 1 ? "call" : "calls"}.`;
  }
}
