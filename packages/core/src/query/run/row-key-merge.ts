// `run-merge.ts` and `slice-merge.ts` call this file. It is a k-way merge of the pages of several partitions.

import type { CheckedRow } from "../../model/codec/choose-kind.ts";
import { keyOfStored } from "../../model/codec/row-layout.ts";
import { inParallel } from "../../storage/in-parallel.ts";
import { TokenWatch } from "../../storage/follow-pages.ts";
import { maxPageSize } from "../../storage/limits.ts";
import type { ReadableRows } from "../../storage/store-engine.ts";
import type { QueryPlan } from "../plan/query-plan.ts";
import { type MergePosition, requestsByPartition } from "../plan/row-key-order.ts";
import { type PlanPosition, type ReadPage, readPlanPage, type RunOptions } from "./run-plan.ts";

/** Concurrent requests of one merge. */
const maxParallel = 16;

/** Rows of all partitions that a merge has read ahead, about; each partition has a page of a few rows anyway. */
const maxHeld = 64_000;

/** Rows of a page that is read for rows which may then not pass the check. */
const leastPage = 16;

/** How much of a merge is wanted. */
export interface MergeOptions {
  /** The total number of rows or families wanted, if known: the first page of each partition is no longer than that. */
  readonly wanted?: number | undefined;
  readonly isEager?: boolean | undefined;
}

/** Rows in RowKey order. */
export interface RowMerge {
  /** The last row returned; before the first, a position before all rows. */
  readonly place: MergePosition;
  /** Whether it is known that no row is left. */
  readonly isAtEnd: boolean;
  /** Reads until a next row is known to be there, or the end is known. */
  lookAhead(): Promise<void>;
  /**
   * The next rows that were requested at the same time, as many as are available without reading more; none at the
   * end.
   */
  next(count: number): Promise<ReadPage>;
}

/**
 * The rows of several partitions in RowKey order, those of one RowKey by their PartitionKeys: a k-way merge. A
 * partition is read on only when its next row may be the next of all. No request is sent unless the caller waits for
 * its rows.
 */
export class RowKeyMerge implements RowMerge {
  readonly #storage: ReadableRows;
  readonly #options: RunOptions;
  readonly #wanted: number;
  readonly #firstPage: number;
  readonly #longestPage: number;
  readonly #stopped = new AbortController();
  /** By what each may have next, the least first; without those at their end. */
  #partitions: PartitionRows[];
  #place: MergePosition = ["", ""];

  /** @param plan - lists its partitions */
  constructor(
    storage: ReadableRows,
    plan: QueryPlan,
    { signal, ...options }: RunOptions,
    { wanted = Number.POSITIVE_INFINITY, isEager = false }: MergeOptions,
  ) {
    const partitions = [...(requestsByPartition(plan) ?? [])];
    const count = Math.max(1, partitions.length);
    this.#storage = storage;
    this.#options = {
      ...options,
      signal: signal === undefined ? this.#stopped.signal : AbortSignal.any([signal, this.#stopped.signal]),
    };
    this.#wanted = wanted;
    this.#longestPage = Math.min(maxPageSize, Math.max(leastPage, Math.floor(maxHeld / count)));
    // A consumer that may stop at any row gets about one page of all partitions to begin with.
    const mean = isEager ? this.#longestPage : Math.ceil(maxPageSize / count);
    this.#firstPage = Number.isFinite(wanted) ? wanted : mean;
    this.#partitions = partitions
      .map(([partitionKey, requests]) => new PartitionRows(partitionKey, { ...plan, requests }))
      .sort(byNext);
  }

  get place(): MergePosition {
    return this.#place;
  }

  get isAtEnd(): boolean {
    return this.#partitions.length === 0;
  }

  async lookAhead(): Promise<void> {
    while (!this.isAtEnd && this.#partitions.every(({ first }) => first === undefined)) await this.#readOn(1);
  }

  async next(count: number): Promise<ReadPage> {
    const most = Math.min(count, maxPageSize);
    const rows: CheckedRow[] = [];
    let readAt = 0;
    while (rows.length < most) {
      const [least] = this.#partitions;
      if (least === undefined) break;
      const row = least.first;
      if (row === undefined) {
        if (rows.length > 0) break;
        await this.#readOn(count);
        continue;
      }
      if (rows.length > 0 && row.readAt !== readAt) break;
      readAt = row.readAt;
      rows.push(row.checked);
      this.#place = [row.rowKey, least.partitionKey];
      this.#partitions.shift();
      least.skipFirst();
      if (!least.isAtEnd) this.#partitions.splice(this.#placeOf(least), 0, least);
    }
    return { rows, readAt };
  }

  /** Where a partition belongs among the others. */
  #placeOf(partition: PartitionRows): number {
    let [from, to] = [0, this.#partitions.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (byNext(this.#partitions[middle] as PartitionRows, partition) < 0) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  /**
   * Reads a page of each partition that may have the next row; where all are wanted, of those that soon will as well.
   */
  async #readOn(count: number): Promise<void> {
    const all = this.#partitions;
    const found = all.findIndex(({ first }) => first !== undefined);
    const needed = all.slice(0, found < 0 ? all.length : found);
    const room = Number.isFinite(this.#wanted) ? 0 : Math.max(0, maxParallel - needed.length);
    const soon = all.slice(needed.length).filter(({ isLow }) => isLow);
    let least: PartitionRows | undefined = all[found];
    try {
      await inParallel([...needed, ...soon.slice(0, room)], maxParallel, async (partition) => {
        // Rows that arrived meanwhile may sort before all rows that this partition can have.
        if (partition.first === undefined && least !== undefined && byNext(least, partition) < 0) return;
        await partition.read(this.#storage, this.#topOf(partition, count), this.#options);
        if (partition.first === undefined) return;
        if (least === undefined || byNext(partition, least) < 0) least = partition;
      });
    } catch (error) {
      this.#stopped.abort();
      throw error;
    }
    this.#partitions = all.filter(({ isAtEnd }) => !isAtEnd).sort(byNext);
  }

  /** The most rows of a partition's next page: as many as are wanted, if nothing is left to check. */
  #topOf(partition: PartitionRows, count: number): number {
    const { needsCheck, lastTop } = partition;
    const first = needsCheck ? Math.max(this.#firstPage, leastPage) : this.#firstPage;
    const top = Math.min(lastTop === 0 ? first : 2 * lastTop, this.#longestPage);
    return needsCheck ? top : Math.min(top, count);
  }
}

/** A row and the time of its request. */
interface TimedRow {
  readonly checked: CheckedRow;
  readonly rowKey: string;
  readonly readAt: number;
}

/** The rows of one partition, page by page. */
class PartitionRows {
  readonly partitionKey: string;
  /** No later row has a lesser RowKey. */
  least: string;
  lastTop = 0;
  readonly #plan: QueryPlan;
  readonly #tokens = new TokenWatch();
  #rows: TimedRow[] = [];
  #at = 0;
  #position: PlanPosition | undefined = { request: 0 };
  /** A lower bound for the RowKeys of rows that were not read yet. */
  #leastUnread: string;

  constructor(partitionKey: string, plan: QueryPlan) {
    this.partitionKey = partitionKey;
    this.#plan = plan;
    this.#leastUnread = this.#startOf(0);
    this.least = this.#leastUnread;
  }

  /** The next row, if it is at hand. */
  get first(): TimedRow | undefined {
    return this.#rows[this.#at];
  }

  get isAtEnd(): boolean {
    return this.#position === undefined && this.first === undefined;
  }

  /** Whether most rows of the last read are used up, and there may be more. */
  get isLow(): boolean {
    return this.#position !== undefined && 2 * (this.#rows.length - this.#at) <= this.lastTop;
  }

  /** Whether rows of the next page are still to be checked. */
  get needsCheck(): boolean {
    return this.#plan.requests[this.#position?.request ?? 0]?.needsCheck === true;
  }

  skipFirst(): void {
    this.#at++;
    this.least = this.first?.rowKey ?? this.#leastUnread;
  }

  async read(storage: ReadableRows, top: number, options: RunOptions): Promise<void> {
    if (this.#position === undefined) return;
    this.lastTop = top;
    const own = { ...options, tokens: this.#tokens };
    const { rows, readAt, next, last } = await readPlanPage(storage, this.#plan, this.#position, top, own);
    const read = rows.map((checked) => ({ checked, rowKey: rowKeyOf(checked), readAt }));
    this.#rows = [...this.#rows.slice(this.#at), ...read];
    this.#at = 0;
    this.#position = next;
    if (next !== undefined && next.after === undefined) this.#leastUnread = this.#startOf(next.request);
    else if (last !== undefined) this.#leastUnread = behind(last);
    this.least = this.first?.rowKey ?? this.#leastUnread;
  }

  /** The least RowKey that a request can find. */
  #startOf(request: number): string {
    const lower = this.#plan.requests[request]?.bounds.rowKey.lower;
    if (lower === undefined) return "";
    return lower.inclusive ? lower.text : behind(lower.text);
  }
}

/** The least text after another. */
const behind = (text: string): string => `${text}\0`;

/** By what partitions may have next. */
function byNext(a: PartitionRows, b: PartitionRows): number {
  if (a.least !== b.least) return a.least < b.least ? -1 : 1;
  return a.partitionKey < b.partitionKey ? -1 : 1;
}

const rowKeyOf = (row: CheckedRow): string => (row.scanned ?? keyOfStored(row.row)).rowKey;
