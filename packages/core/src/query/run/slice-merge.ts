// `run-merge.ts` calls this file for a merge over partitions that are slices of time. Only the partitions of one slice
// are open at a time; after an empty slice, one request for each range of PartitionKeys finds the next one.

import { keyOfStored } from "../../model/codec/row-layout.ts";
import type { TimeSlice } from "../../values/keys/derived-format.ts";
import type { ReadableRows } from "../../storage/store-engine.ts";
import type { SliceOrder } from "../plan/query-plan.ts";
import { type MergePosition, planBehind } from "../plan/row-key-order.ts";
import { firstRow } from "./first-row.ts";
import { type MergeOptions, RowKeyMerge, type RowMerge } from "./row-key-merge.ts";
import type { ReadPage, RunOptions } from "./run-plan.ts";

/** The rows of slice after slice, in RowKey order. */
export class SliceMerge implements RowMerge {
  readonly #storage: ReadableRows;
  readonly #slices: SliceOrder;
  readonly #options: RunOptions;
  readonly #limits: MergeOptions;
  #slice: TimeSlice | undefined;
  #merge: RowKeyMerge | undefined;
  /** Whether the current slice has had a row. */
  #hasRows = false;
  #place: MergePosition = ["", ""];
  #isAtEnd = false;

  constructor(
    storage: ReadableRows,
    slices: SliceOrder,
    options: RunOptions,
    limits: MergeOptions,
    after?: MergePosition,
  ) {
    this.#storage = storage;
    this.#slices = slices;
    this.#options = options;
    this.#limits = limits;
    if (after === undefined) return;
    const slice = slices.sliceOf(after[1]);
    if (slice === undefined) return;
    this.#place = after;
    this.#slice = slice;
    this.#hasRows = true;
    this.#merge = new RowKeyMerge(storage, planBehind(slices.planOf(slice), after), options, limits);
  }

  get place(): MergePosition {
    return this.#place;
  }

  get isAtEnd(): boolean {
    return this.#isAtEnd;
  }

  async lookAhead(): Promise<void> {
    if (this.#isAtEnd) return;
    await this.#merge?.lookAhead();
    if (this.#merge?.isAtEnd !== false) this.#open(await this.#find());
  }

  async next(count: number): Promise<ReadPage> {
    while (!this.#isAtEnd) {
      const page = await this.#merge?.next(count);
      if (this.#merge !== undefined && page !== undefined && page.rows.length > 0) {
        this.#hasRows = true;
        this.#place = this.#merge.place;
        return page;
      }
      this.#open(await this.#following(), count);
    }
    return { rows: [], readAt: 0 };
  }

  /** The slice to open next. After one with rows, that is the next one, whether it has rows or not. */
  #following(): TimeSlice | undefined | Promise<TimeSlice | undefined> {
    if (this.#slice === undefined) return this.#slices.first ?? this.#find();
    return this.#hasRows ? this.#slices.next(this.#slice) : this.#find();
  }

  #open(slice: TimeSlice | undefined, count?: number): void {
    this.#isAtEnd = slice === undefined;
    this.#slice = slice;
    this.#hasRows = false;
    const limits = this.#limits.wanted === undefined ? this.#limits : { ...this.#limits, wanted: count };
    this.#merge = slice && new RowKeyMerge(this.#storage, this.#slices.planOf(slice), this.#options, limits);
  }

  /** The first later slice that has a row. */
  async #find(): Promise<TimeSlice | undefined> {
    const plan = this.#slices.planAfter(this.#slice);
    const found = await Promise.all(
      plan.requests.map((_, request) => firstRow(this.#storage, plan, request, this.#options)),
    );
    const keys = found.flatMap((row) => (row === undefined ? [] : [keyOfStored(row.row)]));
    const [first] = keys.toSorted((a, b) => (a.rowKey < b.rowKey ? -1 : 1));
    return first && this.#slices.sliceOf(first.partitionKey);
  }
}
