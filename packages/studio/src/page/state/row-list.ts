import type { Row } from "../../api/cells.ts";
import type { Extent, PageMark, RowPage } from "../../api/queries.ts";

/** Where a list reads its rows. */
export interface RowSource {
  readonly page: (after: string | undefined, signal: AbortSignal) => Promise<RowPage>;
  readonly extent: (after: string | undefined, signal: AbortSignal) => Promise<Extent>;
}

interface ListedPage extends PageMark {
  /** The index of its first row. */
  readonly start: number;
  rows: readonly Row[] | undefined;
  isLoading: boolean;
  /** It is asked for again when somebody says so, not with each drawing. */
  hasFailed: boolean;
}

/** Pages whose rows are in memory at most: the others are read again by their tokens when somebody scrolls there. */
const maxLoadedPages = 24;

/**
 * The rows of a query, as far as its pages are known. Memory does not grow with the table: of each page there is a token, and
 * rows only of those that were looked at last.
 */
export class RowList {
  readonly #source: RowSource;
  readonly #onChange: () => void;
  readonly #stop = new AbortController();
  #reader = new AbortController();
  readonly #pages: ListedPage[] = [];
  /** Pages with rows, the one that was looked at last at the end. */
  readonly #loaded = new Set<ListedPage>();
  #next: string | undefined;
  #isReading = false;
  #isAtEnd = false;
  #error: Error | undefined;

  constructor(source: RowSource, onChange: () => void) {
    this.#source = source;
    this.#onChange = onChange;
  }

  /** Rows that are known of. */
  get count(): number {
    const last = this.#pages.at(-1);
    return last === undefined ? 0 : last.start + last.count;
  }

  /** Whether the query has no rows behind these. */
  get isAtEnd(): boolean {
    return this.#isAtEnd;
  }

  get isReading(): boolean {
    return this.#isReading;
  }

  /** Why the last request failed. */
  get error(): Error | undefined {
    return this.#error;
  }

  /** A row whose page is in memory. Undefined for another one, whose page is then asked for. */
  rowAt(index: number): Row | undefined {
    const page = this.#pageAt(index);
    if (page === undefined) return undefined;
    if (page.rows !== undefined) this.#use(page);
    else if (!page.hasFailed) void this.#reload(page);
    return page.rows?.[index - page.start];
  }

  /** All rows that are in memory. */
  loadedRows(): readonly Row[] {
    return this.#pages.flatMap(({ rows }) => rows ?? []);
  }

  /** Reads the next page, unless that is going on, or there is none. */
  async readMore(): Promise<void> {
    await this.#reading(async (signal) => {
      const { rows, next } = await this.#source.page(this.#next, signal);
      this.#append({ after: this.#next, count: rows.length }, rows);
      this.#goOn(next);
    });
  }

  /** Finds out where all pages begin, without their rows. */
  async readToEnd(): Promise<void> {
    await this.#reading(async (signal) => {
      while (!this.#isAtEnd) {
        const { pages, next } = await this.#source.extent(this.#next, signal);
        for (const page of pages) this.#append(page, undefined);
        this.#goOn(next);
        this.#onChange();
      }
    });
  }

  /** Ends the reading of further rows; `retry` goes on. */
  stop(): void {
    this.#reader.abort();
  }

  /** Goes on after a failure or a stop. */
  async retry(): Promise<void> {
    for (const page of this.#pages) page.hasFailed = false;
    this.#error = undefined;
    this.#onChange();
    await this.readMore();
  }

  /** Ends all that is being read. */
  close(): void {
    this.#stop.abort();
  }

  async #reading(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    if (this.#isReading || this.#isAtEnd || this.#stop.signal.aborted) return;
    this.#isReading = true;
    this.#error = undefined;
    this.#reader = new AbortController();
    this.#onChange();
    try {
      await work(AbortSignal.any([this.#stop.signal, this.#reader.signal]));
    } catch (error) {
      this.#error = this.#reader.signal.aborted ? new Error("The reading was stopped.") : (error as Error);
    } finally {
      this.#isReading = false;
      if (!this.#stop.signal.aborted) this.#onChange();
    }
  }

  #goOn(next: string | undefined): void {
    this.#next = next;
    this.#isAtEnd = next === undefined;
  }

  #append(mark: PageMark, rows: readonly Row[] | undefined): void {
    if (mark.count === 0) return;
    const page: ListedPage = { ...mark, start: this.count, rows, isLoading: false, hasFailed: false };
    this.#pages.push(page);
    if (rows !== undefined) this.#use(page);
  }

  async #reload(page: ListedPage): Promise<void> {
    if (page.isLoading) return;
    page.isLoading = true;
    try {
      page.rows = (await this.#source.page(page.after, this.#stop.signal)).rows;
      this.#use(page);
    } catch (error) {
      this.#error = error as Error;
      page.hasFailed = true;
    } finally {
      page.isLoading = false;
      if (!this.#stop.signal.aborted) this.#onChange();
    }
  }

  #use(page: ListedPage): void {
    this.#loaded.delete(page);
    this.#loaded.add(page);
    const [oldest] = this.#loaded;
    if (this.#loaded.size <= maxLoadedPages || oldest === undefined) return;
    oldest.rows = undefined;
    this.#loaded.delete(oldest);
  }

  /** Binary search: pages may have different lengths. */
  #pageAt(index: number): ListedPage | undefined {
    let [low, high] = [0, this.#pages.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#pages[middle]?.start ?? 0) <= index) low = middle;
      else high = middle - 1;
    }
    const page = this.#pages[low];
    return page !== undefined && index >= page.start && index < page.start + page.count ? page : undefined;
  }
}
