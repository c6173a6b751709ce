// `verifyIndex()`, `buildIndex()` and `partita index verify` call this file. It compares checksums of key ranges
// first (`read-range.ts`), then reads and repairs only the rows of ranges that differ.

import type { EntityClass, EntityKey, TableStorage } from "@partita/core";
import {
  abortSignal,
  aFunction,
  cancelled,
  type CheckOptions,
  defineOptions,
  keyOfStored,
  patientlyBy,
  type Retries,
  retriesOf,
  retryReads,
  trueOrFalse,
} from "@partita/core/internal";
import { inParallel, pointReads } from "@partita/core/internal/jobs";
import type { RequestOptions, StoredEntity } from "@partita/core/storage";
import { type Finding, inspectIndexRow, type Suspect } from "./inspect-index-row.ts";
import type { DuplicateValue, IndexDifference, IndexProgress, IndexVerification } from "./index-report.ts";
import { IndexTarget } from "./index-target.ts";
import { placeIndexRows } from "./place-index-rows.ts";
import { findSuspects, readRange, type KeyRange, type RangeReader } from "./read-range.ts";
import { Reservations } from "./reservations.ts";
import { verifyReservations } from "./verify-reservations.ts";
import { removeRows } from "../jobs/remove-rows.ts";
import { jobRetry } from "../jobs/table-job.ts";
import type { RowLeftBehind } from "../upgrades/upgrade-report.ts";

/** Options for comparing indexes with the entities' own rows. */
export interface VerifyIndexOptions {
  /** Whether to write missing and different rows and to delete extra ones; default false. */
  readonly repair?: boolean | undefined;
  /** Called after each page that is read, and after each repair. */
  readonly onProgress?: ((progress: IndexProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

const checkOptions: CheckOptions = defineOptions<VerifyIndexOptions>(
  "verifyIndex(storage, classes, name, options)",
  { repair: trueOrFalse, onProgress: aFunction, signal: abortSignal },
  "maintenance.option",
);

/** Maximum number of differences, and of rows, in a report. */
const maxListed = 1000;
/** Maximum number of rows in memory during the search for differences. */
const maxSuspects = 100_000;
/** Number of suspects that are inspected and repaired together. */
const chunkSize = 200;
/** Attempts to repair a difference that another program changes meanwhile. */
const maxRepairs = 5;

/** Compares the rows of indexes with the entities' own rows; `index-jobs.ts` has the public documentation. */
export async function verifyIndex(
  storage: TableStorage,
  classes: EntityClass | readonly EntityClass[],
  name?: string,
  options: VerifyIndexOptions = {},
): Promise<IndexVerification> {
  checkOptions(options);
  const target = new IndexTarget(classes, name);
  target.checkState(
    ["building", "ready", "recorded"],
    "there is nothing to compare, since its rows are no longer written",
    "Delete them with dropIndex (partita index drop), or remove the state from its declaration and build it.",
  );
  return new Verification(storage, target, options).run();
}

export class Verification {
  readonly #ownStorage: TableStorage;
  /** The same storage, with retried reads. */
  readonly #storage: TableStorage;
  readonly #target: IndexTarget;
  readonly #options: VerifyIndexOptions;
  readonly #retries: Retries;
  readonly #request: RequestOptions;
  readonly #reader: RangeReader;
  #progress: IndexProgress = { phase: "verify", read: 0, written: 0 };
  readonly #counts = {
    entities: 0,
    rows: 0,
    missing: 0,
    extra: 0,
    different: 0,
    repaired: 0,
    leftReservations: 0,
  };
  readonly #reservations = new Reservations();
  readonly #differences: IndexDifference[] = [];
  readonly #duplicates: DuplicateValue[] = [];
  #duplicateCount = 0;
  readonly #left: RowLeftBehind[] = [];
  #leftCount = 0;
  /** Whether every entity that was read is of the requested classes. */
  knowsAllKinds = true;

  constructor(storage: TableStorage, target: IndexTarget, options: VerifyIndexOptions) {
    const { signal } = options;
    this.#retries = retriesOf(storage, jobRetry);
    this.#ownStorage = storage;
    this.#storage = retryReads(storage, this.#retries);
    this.#target = target;
    this.#options = options;
    this.#request = { mayBeStale: false, signal };
    this.#reader = {
      storage: this.#storage,
      target,
      request: this.#request,
      reservations: this.#reservations,
      onUnreadable: (row, reason) => this.#leave(keyOfStored(row), reason),
      onRead: ({ read, entities, rows, others }) => {
        if (others > 0) this.knowsAllKinds = false;
        this.#counts.entities += entities;
        this.#counts.rows += rows;
        this.#report({ read: this.#progress.read + read });
      },
    };
  }

  async run(): Promise<IndexVerification> {
    this.#report({});
    for (let after: string | undefined; ;) {
      const range = await readRange(this.#reader, after);
      if (range === undefined) break;
      await this.#compare(range);
      if (range.isAtEnd) break;
      after = range.last;
    }
    if (this.#target.isOverTable) await this.#verifyReservations();
    const { missing, extra, different, repaired } = this.#counts;
    const isRight = missing + extra + different === repaired;
    return {
      table: this.#target.table,
      indexes: this.#target.names,
      ...this.#counts,
      differences: this.#differences,
      duplicates: this.#duplicates,
      duplicateCount: this.#duplicateCount,
      left: this.#left,
      leftCount: this.#leftCount,
      isClean: isRight && this.#duplicateCount === 0 && this.#leftCount === 0,
    };
  }

  async #verifyReservations(): Promise<void> {
    const { signal, repair = false } = this.#options;
    const place = { ...this.#request, patiently: patientlyBy(this.#retries, signal) };
    const source = {
      ownStorage: this.#ownStorage,
      storage: this.#storage,
      target: this.#target,
      retries: this.#retries,
      request: this.#request,
      place,
      repair,
    };
    await verifyReservations(source, this.#reservations, ({ type, ...finding }) => {
      if (type === "left") this.#counts.leftReservations++;
      else this.#note({ ...finding, type, main: undefined, found: undefined }, finding.isRepaired);
    });
  }

  /** Finds the differences of a key range, in as many reads as the memory limit requires. */
  async #compare(range: KeyRange): Promise<void> {
    for (const buckets of range.sums.differing(maxSuspects)) {
      const suspects = await findSuspects(this.#reader, range, buckets);
      for (let from = 0; from < suspects.length; from += chunkSize)
        await this.#examine(suspects.slice(from, from + chunkSize));
    }
  }

  async #examine(suspects: readonly Suspect[]): Promise<void> {
    const found = await this.#inspect(suspects);
    const open = this.#options.repair === true ? await this.#repair(found) : found;
    const stillOpen = new Set(open.map(idOf));
    for (const finding of found) this.#note(finding, !stillOpen.has(idOf(finding)));
  }

  async #inspect(suspects: readonly Suspect[]): Promise<readonly Finding[]> {
    const { signal } = this.#options;
    const found = await inParallel(suspects, pointReads, async (suspect) => {
      if (signal?.aborted === true) throw cancelled(signal);
      return inspectIndexRow(this.#storage, this.#target, suspect, this.#request);
    });
    return found.filter((finding) => finding !== undefined);
  }

  /** Repairs differences, and returns those that are left. */
  async #repair(findings: readonly Finding[]): Promise<readonly Finding[]> {
    const refused = new Set<string>();
    const isOpen = (finding: Finding): boolean =>
      finding.type !== undefined && !(finding.entity !== undefined && refused.has(idOfKey(finding.entity)));
    let open = findings.filter(isOpen);
    for (let tries = 0; open.some(isOpen) && tries < maxRepairs; tries++) {
      await this.#place(open.filter(isOpen), refused);
      await this.#remove(open.filter(({ type }) => type === "extra"));
      const again = await this.#inspect(open.map(suspectOf));
      open = again.filter(({ type }) => type !== undefined);
    }
    return open;
  }

  async #place(findings: readonly Finding[], refused: Set<string>): Promise<void> {
    const mains = new Map(
      findings.flatMap(({ main }) =>
        main === undefined ? [] : [[idOfKey(keyOfStored(main)), main] as const],
      ),
    );
    const wanted = new Set(findings.map(idOf));
    await placeIndexRows(this.#ownStorage, this.#target, [...mains.values()], {
      ...this.#request,
      patiently: patientlyBy(this.#retries, this.#options.signal),
      isWanted: ({ key }) => wanted.has(idOfKey(key)),
      onPlaced: () => this.#report({ written: this.#progress.written + 1 }),
      onRefused: (key, reason) => {
        refused.add(idOfKey(key));
        this.#leave(key, reason);
      },
    });
  }

  /** Every write of an index row changes its ETag, so a row with the known ETag is still extra. */
  async #remove(findings: readonly Finding[]): Promise<void> {
    const rows = findings.map(({ found }) => found).filter((row): row is StoredEntity => row !== undefined);
    const patiently = patientlyBy(this.#retries, this.#options.signal);
    const options = { ...this.#request, patiently };
    const removed = await removeRows(this.#storage, this.#target.table, rows, options);
    this.#report({ written: this.#progress.written + removed });
  }

  #note({ index, type, key, entity, duplicates }: Finding, isRepaired: boolean): void {
    if (duplicates.length > 0 && ++this.#duplicateCount <= maxListed)
      this.#duplicates.push({
        index,
        properties: this.#target.propertiesOf(index),
        entities: duplicates,
      });
    if (type === undefined) return;
    this.#counts[type]++;
    if (isRepaired) this.#counts.repaired++;
    if (this.#differences.length < maxListed)
      this.#differences.push({ index, type, key, entity, isRepaired });
  }

  #leave(key: EntityKey, reason: Error): void {
    if (++this.#leftCount <= maxListed) this.#left.push({ key, reason });
  }

  #report(change: Partial<IndexProgress>): void {
    this.#progress = { ...this.#progress, ...change };
    this.#options.onProgress?.(this.#progress);
  }
}

const idOfKey = ({ partitionKey, rowKey }: EntityKey): string => JSON.stringify([partitionKey, rowKey]);
const idOf = ({ key }: Finding): string => idOfKey(key);

const suspectOf = ({ key, entity }: Finding): Suspect => ({
  key,
  owners: new Set(entity === undefined ? [] : [entity.rowKey]),
});
