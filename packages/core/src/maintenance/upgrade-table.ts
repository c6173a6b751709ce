import { setTimeout as delay } from "node:timers/promises";
import type { StoredEntity } from "../edm/stored-entity.ts";
import { KindError } from "../errors/kind-error.ts";
import { ModelError } from "../errors/model-error.ts";
import { StateError } from "../errors/state-error.ts";
import { cancelled, StorageError } from "../errors/storage-error.ts";
import { checkOptions } from "../errors/unknown-option.ts";
import { UpgradeError } from "../errors/upgrade-error.ts";
import { type KindChooser, kindChooser } from "../codec/choose-kind.ts";
import { ageOf, currentRow } from "../codec/current-row.ts";
import { keyOfStored } from "../codec/row-layout.ts";
import { loadCrypto } from "../keys/load-crypto.ts";
import type { EntityClass } from "../model/entity-definition.ts";
import type { EntityModel } from "../model/entity-model.ts";
import { retriesOf, withRetry } from "../storage/with-retry.ts";
import { exponential, type RetryPolicy } from "../storage/retry-policy.ts";
import { retryReads } from "../storage/retry-reads.ts";
import type { RequestOptions, TableStorage } from "../storage/table-storage.ts";
import { allRows, labelOf, namesOf, type VersionCount } from "./census.ts";
import { Lease } from "./lease.ts";
import { rowsAfter, rowsBetween } from "./rows-after.ts";
import { type Claim, type Cursor, jobsTable, UpgradeJob } from "./upgrade-job.ts";
import type { RowLeftBehind, UpgradeProgress, UpgradeReport } from "./upgrade-report.ts";
import { type Patiently, upgradeRows } from "./upgrade-rows.ts";

export interface UpgradeTableOptions {
  /** Upgrades in memory only, to see what would happen. */
  readonly dryRun?: boolean;
  /** Rows per second at most, over all that this call does at once. */
  readonly rate?: number;
  /** Pages this call works at together; default 4. Other processes may share the job. */
  readonly concurrency?: number;
  /**
   * The name of the job, which workers share and a later call goes on with; by default made of the classes and their
   * versions. Kept in the table `PartitaJobs`.
   */
  readonly checkpoint?: string;
  /** How long a worker may be silent before others take over its page, in milliseconds; default 15,000. */
  readonly claimTimeoutMs?: number;
  readonly onProgress?: (progress: UpgradeProgress) => void;
  readonly signal?: AbortSignal;
}

/** Characters of a job's name, which is a key once it is escaped. */
const maxJobName = 120;

/** Rows left behind that a report lists. */
const maxListed = 1000;

/**
 * Stores every row of these classes in its present version. May be stopped at any time, and goes on where it was; several
 * processes may share the work. Each row is written under its ETag: one that changes in between is read again, and
 * rewriting twice changes nothing. Afterwards the whole table is looked through for what is left.
 *
 * @param classes - classes of one table, at least one with `upgrades`
 * @throws ModelError `model.no-upgrades`; StateError `context.option`; StorageError, when requests fail too often or `signal` stops it
 */
export async function upgradeTable(
  storage: TableStorage,
  classes: readonly EntityClass[],
  options: UpgradeTableOptions = {},
): Promise<UpgradeReport> {
  const known = ["dryRun", "rate", "concurrency", "checkpoint", "claimTimeoutMs", "onProgress", "signal"];
  checkOptions("upgradeTable(storage, classes, options)", options, known);
  checkOptionTypes(options);
  checkNumber("rate", options.rate, false);
  checkNumber("concurrency", options.concurrency, true);
  checkNumber("claimTimeoutMs", options.claimTimeoutMs, false);
  const chooser = kindChooser(classes);
  const models = [...chooser.models, ...chooser.kinds].filter(({ version }) => version?.chain !== undefined);
  if (models.length === 0)
    throw new ModelError(
      "model.no-upgrades",
      `None of these classes of table ${chooser.table} has upgrades. Declare them: version: upgrades({ … }).to(2, …).`,
      { table: chooser.table },
    );
  if (chooser.table.toLowerCase() === jobsTable.toLowerCase())
    throw new ModelError(
      "model.jobs-table",
      `${jobsTable} is where upgrades keep how far they are. Name your table otherwise.`,
    );
  return new TableUpgrade(storage, classes, chooser, models, options).run();
}

/** @throws StateError `context.option` */
function checkOptionTypes({ dryRun, checkpoint, onProgress, signal }: UpgradeTableOptions): void {
  const wrong =
    dryRun !== undefined && typeof dryRun !== "boolean"
      ? "dryRun } takes true or false"
      : checkpoint !== undefined && (typeof checkpoint !== "string" || checkpoint.length > maxJobName)
        ? `checkpoint } takes a text of at most ${maxJobName} characters`
        : onProgress !== undefined && typeof onProgress !== "function"
          ? "onProgress } takes a function"
          : signal !== undefined && !(signal instanceof AbortSignal)
            ? "signal } takes an AbortSignal"
            : undefined;
  if (wrong !== undefined) throw new StateError("context.option", `upgradeTable({ ${wrong}.`);
}

/** @throws StateError `context.option` */
function checkNumber(name: string, value: number | undefined, isWhole: boolean): void {
  if (value === undefined) return;
  const isFine =
    typeof value === "number" && Number.isFinite(value) && value > 0 && (!isWhole || Number.isInteger(value));
  if (!isFine)
    throw new StateError(
      "context.option",
      `upgradeTable({ ${name} }) takes a ${isWhole ? "whole " : ""}number above 0.`,
    );
}

/** A job has time, and is not given up because others fail: no budget of tries. */
const jobRetry: RetryPolicy = exponential({ attempts: 5, delayMs: 50, minMs: 50, maxMs: 5_000 });

class TableUpgrade {
  readonly #storage: TableStorage;
  readonly #classes: readonly EntityClass[];
  readonly #chooser: KindChooser;
  readonly #options: UpgradeTableOptions;
  readonly #job: UpgradeJob;
  /** Aborted by the caller, or when one of the workers here fails. */
  readonly #stopped = new AbortController();
  readonly #signal: AbortSignal;
  readonly #request: RequestOptions;
  readonly #patiently: Patiently;
  /** Why the store does not take what a row is upgraded to. */
  readonly #refused = new Map<string, RowLeftBehind>();
  #progress: UpgradeProgress = { phase: "count", read: 0, total: undefined, upgraded: 0, changed: 0 };
  #nextAt = performance.now();

  constructor(
    storage: TableStorage,
    classes: readonly EntityClass[],
    chooser: KindChooser,
    models: readonly EntityModel[],
    options: UpgradeTableOptions,
  ) {
    const retries = retriesOf(storage, jobRetry);
    this.#storage = retryReads(storage, retries);
    this.#classes = classes;
    this.#chooser = chooser;
    this.#options = options;
    this.#signal =
      options.signal === undefined
        ? this.#stopped.signal
        : AbortSignal.any([options.signal, this.#stopped.signal]);
    this.#request = { signal: this.#signal };
    this.#patiently = (work) => withRetry(retries, work, { signal: this.#signal });
    this.#job = new UpgradeJob(
      this.#storage,
      options.checkpoint ?? jobNameOf(chooser.table, models),
      this.#request,
    );
  }

  async run(): Promise<UpgradeReport> {
    const before = await this.#look("count");
    const isDryRun = this.#options.dryRun === true;
    const after = isDryRun ? before : await this.#runPasses();
    const { upgraded, changed } = this.#progress;
    return {
      table: this.#chooser.table,
      isDryRun,
      before: before.counts,
      after: after.counts,
      upgraded: isDryRun ? before.open : upgraded,
      changed,
      left: after.left,
      leftCount: after.leftCount,
      isClean: after.leftCount === 0 && after.open === 0,
    };
  }

  /** Over the table until nothing is left, or a pass gets nowhere: an old program may write meanwhile. */
  async #runPasses(): Promise<Findings> {
    await this.#patiently(() => this.#job.open());
    for (let pass = 1; ; pass++) {
      const upgradedBefore = this.#progress.upgraded;
      await this.#patiently(async () => {
        const cursor = await this.#job.read();
        // A job that ended begins again, for rows that were written since.
        if (cursor.isAtEnd && (await this.#job.claims()).length === 0) await this.#job.restart(cursor);
      });
      this.#tell({ phase: "upgrade", read: 0 });
      await this.#runWorkers();
      const found = await this.#look("verify");
      if (found.open === 0 || (pass > 1 && this.#progress.upgraded === upgradedBefore)) return found;
    }
  }

  /** All workers of this call. When one fails, the others stop too, and nothing goes on behind the caller's back. */
  async #runWorkers(): Promise<void> {
    const workers = Array.from({ length: this.#options.concurrency ?? 4 }, async () => {
      try {
        await this.#work();
      } catch (error) {
        this.#stopped.abort(error);
        throw error;
      }
    });
    const ends = await Promise.allSettled(workers);
    const failures = ends.flatMap((end) => (end.status === "rejected" ? [end.reason as unknown] : []));
    // What the others ended with is only that they were stopped.
    const first = failures.find(
      (error) => !(error instanceof StorageError && error.code === "storage.cancelled"),
    );
    if (failures.length > 0) throw first ?? failures[0];
  }

  /** Reads the whole table: how many rows are of which version, and which of the older ones cannot be upgraded. */
  async #look(phase: "count" | "verify"): Promise<Findings> {
    const names = namesOf(this.#classes);
    const counts = new Map<string, VersionCount>();
    const left: RowLeftBehind[] = [];
    let [open, leftCount, rows] = [0, 0, 0];
    this.#tell({ phase, read: 0 });
    // What cannot be upgraded is looked for where nothing else will tell.
    const tries = phase === "verify" || this.#options.dryRun === true;
    const select = tries ? undefined : [names.kindProperty, names.versionProperty];
    const onProgress = (read: number): void => this.#tell({ read: (rows = read) });
    for await (const page of allRows(this.#storage, names.table, select, { ...this.#request, onProgress }))
      for (const row of page) {
        const label = labelOf(row, names);
        const id = JSON.stringify([label.kind, label.version]);
        counts.set(id, { ...label, count: (counts.get(id)?.count ?? 0) + 1 });
        const found = tries ? this.#stateOf(row) : undefined;
        if (found === "open") open++;
        else if (found !== undefined && ++leftCount <= maxListed) left.push(found);
      }
    this.#tell({ total: rows });
    return { counts: [...counts.values()], open, left, leftCount };
  }

  /** Whether a row is of an older version, and then why it stays so, if it does. */
  #stateOf(row: StoredEntity): "open" | RowLeftBehind | undefined {
    try {
      const model = this.#modelOf(row);
      if (model === undefined || ageOf(model, row) !== "older") return undefined;
      currentRow(model, row);
      return this.#refused.get(idOf(row)) ?? "open";
    } catch (error) {
      if (error instanceof UpgradeError) return { key: keyOfStored(row), reason: error };
      throw error;
    }
  }

  /** Rows of kinds that are not asked for are left alone. */
  readonly #modelOf = (row: StoredEntity): EntityModel | undefined => {
    try {
      return this.#chooser.choose(row);
    } catch (error) {
      if (error instanceof KindError) return undefined;
      throw error;
    }
  };

  /** Takes page after page, and at the end those of workers that are no more, until nothing is left to do. */
  async #work(): Promise<void> {
    const step = async (): Promise<boolean> => {
      if (this.#signal.aborted) throw cancelled(this.#signal);
      const cursor = await this.#job.read();
      if (cursor.isAtEnd) return this.#takeOver();
      await this.#nextPage(cursor);
      return true;
    };
    while (await this.#patiently(step));
  }

  async #nextPage(cursor: Cursor): Promise<void> {
    const { rows, next } = await rowsAfter(this.#storage, this.#chooser.table, cursor.after, this.#request);
    if (rows.length === 0) {
      await this.#job.finish(cursor);
      return;
    }
    const sentAt = performance.now();
    const claim = await this.#job.claim(cursor, next);
    if (claim !== undefined) await this.#upgradePage(claim, sentAt, () => Promise.resolve(rows));
  }

  /** Upgrades the rows of a claim while it is known to be ours; leaves it to others when that fails. */
  async #upgradePage(
    claim: Claim,
    sentAt: number,
    read: () => Promise<readonly StoredEntity[]>,
  ): Promise<void> {
    const lease = new Lease(this.#job, claim, this.#claimTimeoutMs, sentAt, this.#signal);
    try {
      const rows = await read();
      for (let open = rows; open.length > 0;) open = await this.#upgradeRows(open, lease.signal);
      this.#tell({ read: this.#progress.read + rows.length });
      await this.#patiently(() => lease.release());
    } catch (error) {
      const isLost = lease.isLost;
      await lease.abandon();
      if (!isLost || this.#signal.aborted) throw error;
    }
  }

  /** Returns rows that somebody else changed in between, to be looked at again. */
  async #upgradeRows(rows: readonly StoredEntity[], signal: AbortSignal): Promise<readonly StoredEntity[]> {
    await this.#waitForRate(signal);
    const changed: StoredEntity[] = [];
    const { rate } = this.#options;
    await upgradeRows(this.#storage, this.#chooser.table, rows, this.#modelOf, {
      signal,
      patiently: this.#patiently,
      onUpgraded: () => {
        this.#progress = { ...this.#progress, upgraded: this.#progress.upgraded + 1 };
        if (rate !== undefined) this.#nextAt = Math.max(this.#nextAt, performance.now()) + 1000 / rate;
      },
      onChanged: (_index, row) => {
        if (row !== undefined) changed.push(row);
      },
      onRefused: (index, reason) => {
        const row = rows[index] as StoredEntity;
        this.#refused.set(idOf(row), { key: keyOfStored(row), reason });
      },
    });
    this.#tell({ changed: this.#progress.changed + changed.length });
    return changed;
  }

  /** Waits until no claim is left, or one is to be done again: given up, or without a sign of life; false at the end. */
  async #takeOver(): Promise<boolean> {
    const seen = new Map<string, { readonly etag: string; readonly since: number }>();
    for (let waitMs = 5; ; waitMs = Math.min(2 * waitMs, this.#claimTimeoutMs / 4, 500)) {
      const claims = await this.#job.claims();
      if (claims.length === 0) return false;
      for (const claim of claims) {
        const before = seen.get(claim.id);
        const now = performance.now();
        const isSilent = before?.etag === claim.etag && now - before.since >= this.#claimTimeoutMs;
        if (before?.etag !== claim.etag) seen.set(claim.id, { etag: claim.etag, since: now });
        if (!isSilent && !claim.isAbandoned) continue;
        const own = await this.#job.takeOver(claim);
        if (own === undefined) continue;
        const { from, to } = claim;
        await this.#upgradePage(own, now, () =>
          rowsBetween(this.#storage, this.#chooser.table, from, to, this.#request),
        );
        return true;
      }
      await this.#wait(waitMs, this.#signal);
    }
  }

  get #claimTimeoutMs(): number {
    return this.#options.claimTimeoutMs ?? 15_000;
  }

  /** Until as many rows may have been stored as were. */
  async #waitForRate(signal: AbortSignal): Promise<void> {
    const wait = this.#nextAt - performance.now();
    if (this.#options.rate !== undefined && wait > 0) await this.#wait(wait, signal);
  }

  async #wait(ms: number, signal: AbortSignal): Promise<void> {
    await delay(ms, undefined, { signal }).catch(() => {
      throw cancelled(signal);
    });
  }

  #tell(change: Partial<UpgradeProgress>): void {
    this.#progress = { ...this.#progress, ...change };
    this.#options.onProgress?.(this.#progress);
  }
}

const idOf = ({ PartitionKey, RowKey }: StoredEntity): string => `${PartitionKey}\0${RowKey}`;

/** A name for the classes and their versions, short enough for a key. */
function jobNameOf(table: string, models: readonly EntityModel[]): string {
  const versions = models
    .map(({ name, version }) => `${name} ${version?.number}`)
    .toSorted()
    .join(", ");
  const name = `${table.toLowerCase()}: ${versions}`;
  if (name.length <= maxJobName) return name;
  return `${table.toLowerCase()}: ${loadCrypto().createHash("sha256").update(versions).digest("hex")}`;
}

interface Findings {
  readonly counts: readonly VersionCount[];
  /** Rows that are older and can be upgraded. */
  readonly open: number;
  readonly left: readonly RowLeftBehind[];
  readonly leftCount: number;
}
