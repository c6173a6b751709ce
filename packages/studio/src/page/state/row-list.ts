import type { Row, RowKey } from "../../api/cells.ts";
import type { Extent, PageMark, RowPage } from "../../api/queries.ts";
import { isSameKey, keyOf } from "./row-keys.ts";

/** The source of a list's rows. */
export interface RowSource {
  readonly page: (after: string | undefined, signal: AbortSignal) => Promise<RowPage>;
  readonly extent: (after: string | undefined, signal: AbortSignal) => Promise<Extent>;
}

/** The known pages of a list, without their rows. */
export interface ListMarks {
  readonly pages: readonly PageMark[];
  readonly next: string | undefined;
  readonly isAtEnd: boolean;
  /** The indexes of the pages with rows in memory, which a sort needs again. */
  readonly loaded: readonly number[];
}

interface ListedPage extends PageMark {
  count: number;
  first: RowKey | undefined;
  /** The index of its first row. */
  start: number;
  rows: readonly Row[] | undefined;
  isLoading: boolean;
  /** It is requested again by the user, not with each drawing. */
  hasFailed: boolean;
}

/**
 * Maximum pages with rows in memory. Other pages are read again by their tokens when the user scrolls there.
 */
const maxLoadedPages = 24;

/**
 * The rows of a query, as far as its pages are known. Memory does not grow with the table: it has a token for
 * each page, and rows only for the last viewed pages.
 */
export class RowList {
  readonly #source: RowSource;
  readonly #onChange: () => void;
  readonly #stop = new AbortController();
  #reader = new AbortController();
  #pages: ListedPage[] = [];
  /** Pages with rows. The last viewed page is at the end. */
  readonly #loaded = new Set<ListedPage>();
  #next: string | undefined;
  #isReading = false;
  #hasBegun = false;
  #isAtEnd = false;
  #isRestoring = false;
  #error: Error | undefined;

  /** @param marks - the known pages of an earlier list of the same query */
  constructor(source: RowSource, onChange: () => void, marks?: ListMarks) {
    this.#source = source;
    this.#onChange = onChange;
    for (const page of marks?.pages ?? []) this.#append(page, undefined);
    this.#next = marks?.next;
    this.#isAtEnd = marks?.isAtEnd ?? false;
  }

  /** Undefined before the first page. */
  get marks(): ListMarks | undefined {
    if (this.#pages.length === 0 && !this.#isAtEnd) return undefined;
    const pages = this.#pages.map(({ after, count, first }) => ({ after, count, first }));
    const loaded = this.#pages.flatMap(({ rows }, at) => (rows === undefined ? [] : [at]));
    return { pages, next: this.#next, isAtEnd: this.#isAtEnd, loaded };
  }

  /** Whether a page was read. A page may have no rows, if they are rare in the table. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Number of known rows. */
  get count(): number {
    const last = this.#pages.at(-1);
    return last === undefined ? 0 : last.start + last.count;
  }

  /** Whether the query has no further rows. */
  get isAtEnd(): boolean {
    return this.#isAtEnd;
  }

  get isReading(): boolean {
    return this.#isReading;
  }

  /** The error of the last request. */
  get error(): Error | undefined {
    return this.#error;
  }

  /** A row whose page is in memory. Otherwise undefined, and the page is requested. */
  rowAt(index: number): Row | undefined {
    const page = this.#pageAt(index);
    if (page === undefined) return undefined;
    if (page.rows !== undefined) this.#use(page);
    else if (!page.hasFailed && !this.#isRestoring) void this.#reload(page);
    return page.rows?.[index - page.start];
  }

  /** The index of the first such row in memory. -1 if there is none. */
  findIndex(isMeant: (row: Row) => boolean): number {
    for (const { rows, start } of this.#pages) {
      const found = rows?.findIndex(isMeant) ?? -1;
      if (found !== -1) return start + found;
    }
    return -1;
  }

  /** All rows in memory. */
  loadedRows(): readonly Row[] {
    return this.#pages.flatMap(({ rows }) => rows ?? []);
  }

  /** Reads the next page, unless a read is pending or there is none. */
  async readMore(): Promise<void> {
    await this.#reading(async (signal) => {
      const { rows, next } = await this.#source.page(this.#next, signal);
      this.#append({ after: this.#next, count: rows.length }, rows);
      this.#goOn(next);
    });
  }

  /** Reads pages of earlier marks. Until all are in memory, the list shows none of them. */
  async restore(loaded: readonly number[]): Promise<void> {
    this.#isRestoring = true;
    await Promise.all(loaded.flatMap((at) => this.#pages[at] ?? []).map((page) => this.#load(page)));
    this.#isRestoring = false;
    if (!this.#stop.signal.aborted) this.#onChange();
  }

  /** Finds the start of every page, without their rows. */
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

  /** Stops reading further rows. `retry` continues. */
  stop(): void {
    this.#reader.abort();
  }

  /** Continues after a failure or a stop. */
  async retry(): Promise<void> {
    for (const page of this.#pages) page.hasFailed = false;
    this.#error = undefined;
    this.#onChange();
    await this.readMore();
  }

  /** Aborts all pending reads. */
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
      this.#error = this.#reader.signal.aborted ? new Error("Reading was stopped.") : (error as Error);
    } finally {
      this.#isReading = false;
      if (!this.#stop.signal.aborted) this.#onChange();
    }
  }

  #goOn(next: string | undefined): void {
    this.#hasBegun = true;
    this.#next = next;
    this.#isAtEnd = next === undefined;
  }

  #append(mark: PageMark, rows: readonly Row[] | undefined): void {
    if (mark.count === 0) return;
    const first = mark.first ?? firstKey(rows);
    const page = { ...mark, first, start: this.count, rows, isLoading: false, hasFailed: false };
    this.#pages.push(page);
    if (rows !== undefined) this.#use(page);
  }

  async #reload(page: ListedPage): Promise<void> {
    if (page.isLoading) return;
    await this.#load(page);
    if (!this.#stop.signal.aborted) this.#onChange();
  }

  async #load(page: ListedPage): Promise<void> {
    page.isLoading = true;
    try {
      page.rows = await this.#rowsOf(page);
      page.first ??= firstKey(page.rows);
      // Other programs may have added or deleted rows meanwhile.
      if (page.rows.length !== page.count) this.#resize(page, page.rows.length);
      this.#use(page);
    } catch (error) {
      this.#error = error as Error;
      page.hasFailed = true;
    } finally {
      page.isLoading = false;
    }
  }

  /**
   * The rows up to the next page. A page that ends after some time may end elsewhere when it is read again: earlier,
   * so the rest follows, or within the next page, whose rows are left out.
   */
  async #rowsOf(page: ListedPage): Promise<readonly Row[]> {
    const next = this.#pages[this.#pages.indexOf(page) + 1];
    const until = next === undefined ? this.#next : next.after;
    const rows: Row[] = [];
    const indexOfNext = (): number =>
      rows.findIndex((row) => next?.first !== undefined && isSameKey(row, next.first));
    let at = page.after;
    let isMore = true;
    // If the first row of the next page was deleted, one read more finds all rows that others have added.
    for (let reads = 0; isMore && (reads < 2 || rows.length < page.count); reads++) {
      const read = await this.#source.page(at, this.#stop.signal);
      rows.push(...read.rows);
      at = read.next;
      isMore = at !== undefined && at !== until && indexOfNext() === -1;
    }
    // The list continues where its last page ended.
    if (next === undefined && !this.#isReading) this.#goOn(at);
    const end = indexOfNext();
    return end === -1 ? rows : rows.slice(0, end);
  }

  #resize(page: ListedPage, count: number): void {
    const added = count - page.count;
    page.count = count;
    for (const later of this.#pages) if (later.start > page.start) later.start += added;
    this.#pages = this.#pages.filter((each) => each.count > 0);
  }

  #use(page: ListedPage): void {
    this.#loaded.delete(page);
    this.#loaded.add(page);
    const [oldest] = this.#loaded;
    if (this.#loaded.size <= maxLoadedPages || oldest === undefined) return;
    oldest.rows = undefined;
    this.#loaded.delete(oldest);
  }

  /** Binary search, because pages may have different lengths. */
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

const firstKey = (rows: readonly Row[] | undefined): RowKey | undefined => rows?.[0] && keyOf(rows[0]);
