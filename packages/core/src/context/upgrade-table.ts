import type { StoredEntity } from "../edm/stored-entity.ts";
import { KindError } from "../errors/kind-error.ts";
import { ModelError } from "../errors/model-error.ts";
import { StateError } from "../errors/state-error.ts";
import { cancelled } from "../errors/storage-error.ts";
import { checkOptions } from "../errors/unknown-option.ts";
import { UpgradeError } from "../errors/upgrade-error.ts";
import { type KindChooser, kindChooser } from "../materialize/choose-kind.ts";
import { ageOf, currentRow } from "../materialize/current-row.ts";
import { keyOfStored } from "../materialize/decode-entity.ts";
import type { EntityClass } from "../model/entity-definition.ts";
import type { EntityModel } from "../model/entity-model.ts";
import { defaultRetry, isTransient, waitToRetry } from "../storage/retry-policy.ts";
import { retryReads } from "../storage/retry-reads.ts";
import type { RequestOptions, TableStorage } from "../storage/table-storage.ts";
import { allRows, labelOf, namesOf, type VersionCount } from "./census.ts";
import { Lease } from "./lease.ts";
import { rowsAfter, rowsBetween } from "./rows-after.ts";
import { type Claim, type Cursor, UpgradeJob } from "./upgrade-job.ts";
import type { RowLeftBehind, UpgradeProgress, UpgradeReport } from "./upgrade-report.ts";
import { upgradeRows } from "./upgrade-rows.ts";

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
  return new TableUpgrade(storage, classes, chooser, models, options).run();
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

class TableUpgrade {
  readonly #storage: TableStorage;
  readonly #classes: readonly EntityClass[];
  readonly #chooser: KindChooser;
  readonly #options: UpgradeTableOptions;
  readonly #request: RequestOptions;
  readonly #jobName: string;
  #progress: UpgradeProgress = { phase: "count", read: 0, total: undefined, upgraded: 0, changed: 0 };
  #nextAt = performance.now();

  constructor(
    storage: TableStorage,
    classes: readonly EntityClass[],
    chooser: KindChooser,
    models: readonly EntityModel[],
    options: UpgradeTableOptions,
  ) {
    this.#storage = retryReads(storage, defaultRetry);
    this.#classes = classes;
    this.#chooser = chooser;
    this.#options = options;
    this.#request = options.signal === undefined ? {} : { signal: options.signal };
    const versions = models.map(({ name, version }) => `${name} ${version?.number}`).toSorted();
    this.#jobName = options.checkpoint ?? `${chooser.table.toLowerCase()}: ${versions.join(", ")}`;
  }

  async run(): Promise<UpgradeReport> {
    const before = await this.#look("count");
    let after = before;
    if (this.#options.dryRun !== true) {
      const job = new UpgradeJob(this.#storage, this.#jobName, this.#request);
      let passes = 0;
      for (let cursor = await this.#patiently(() => job.open()); ;) {
        // A job that ended begins again, for rows that were written since.
        if (cursor.isAtEnd && (await job.claims()).length === 0)
          await this.#patiently(() => job.restart(cursor));
        this.#tell({ phase: "upgrade", read: 0 });
        passes++;
        const upgradedBefore = this.#progress.upgraded;
        await Promise.all(Array.from({ length: this.#options.concurrency ?? 4 }, () => this.#work(job)));
        after = await this.#look("verify");
        // What an old program wrote meanwhile is upgraded too, as long as that gets anywhere.
        if (after.open === 0 || (passes > 1 && this.#progress.upgraded === upgradedBefore)) break;
        cursor = await job.read();
      }
    }
    const { upgraded, changed } = this.#progress;
    const isDryRun = this.#options.dryRun === true;
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
        const failure = tries ? this.#tryUpgrade(row) : undefined;
        if (failure === "open") open++;
        else if (failure !== undefined && ++leftCount <= maxListed)
          left.push({ key: keyOfStored(row), reason: failure });
      }
    this.#tell({ total: rows });
    return { counts: [...counts.values()], open, left, leftCount };
  }

  /** Whether a row is of an older version, and then why it cannot be upgraded, if so. */
  #tryUpgrade(row: StoredEntity): "open" | Error | undefined {
    try {
      const model = this.#modelOf(row);
      if (model === undefined || ageOf(model, row) !== "older") return undefined;
      currentRow(model, row);
      return "open";
    } catch (error) {
      if (error instanceof UpgradeError) return error;
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

  /** Takes page after page, and at the end those of workers that fell silent, until nothing is left to do. */
  async #work(job: UpgradeJob): Promise<void> {
    for (;;) {
      this.#checkSignal();
      const cursor = await job.read();
      if (!cursor.isAtEnd) await this.#patiently(() => this.#nextPage(job, cursor));
      else if (!(await this.#takeOverSilent(job))) return;
    }
  }

  /** Does something that may be done twice again after failures that pass. */
  async #patiently<Result>(work: () => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (attempt >= defaultRetry.attempts || !isTransient(error)) throw error;
        await waitToRetry(defaultRetry, error, this.#options.signal);
      }
    }
  }

  async #nextPage(job: UpgradeJob, cursor: Cursor): Promise<void> {
    const rows = await rowsAfter(this.#storage, this.#chooser.table, cursor.after, this.#request);
    const last = rows.at(-1);
    if (last === undefined) {
      await job.finish(cursor);
      return;
    }
    const claim = await job.claim(cursor, keyOfStored(last));
    if (claim !== undefined) await this.#upgradePage(job, claim, rows);
  }

  /** Upgrades the rows of a claim while it is known to be ours. */
  async #upgradePage(job: UpgradeJob, claim: Claim, rows: readonly StoredEntity[]): Promise<void> {
    const lease = new Lease(job, claim, this.#claimTimeoutMs, this.#options.signal);
    try {
      for (let open = rows; open.length > 0;) {
        await this.#waitForRate(open.length);
        const now = await this.#tryAgain(lease, claim, open);
        this.#tell({
          upgraded: this.#progress.upgraded + now.upgraded,
          changed: this.#progress.changed + now.changed.length,
        });
        open = now.changed;
      }
      this.#tell({ read: this.#progress.read + rows.length });
      await this.#patiently(() => lease.release());
    } catch (error) {
      if (!lease.isLost) throw error;
    } finally {
      lease.stop();
    }
  }

  /** A write whose answer is lost is made again on what is stored by then: under ETags, that changes nothing twice. */
  async #tryAgain(lease: Lease, claim: Claim, rows: readonly StoredEntity[]): ReturnType<typeof upgradeRows> {
    let open = rows;
    for (let attempt = 1; ; attempt++) {
      try {
        return await upgradeRows(this.#storage, this.#chooser.table, open, this.#modelOf, {
          signal: lease.signal,
          forgets: true,
        });
      } catch (error) {
        if (attempt >= defaultRetry.attempts || !isTransient(error)) throw error;
        await waitToRetry(defaultRetry, error, lease.signal);
        open = await this.#rowsOf(claim);
      }
    }
  }

  /** Waits until no claim is left, or one has shown no life for long enough to be done again; false at the end. */
  async #takeOverSilent(job: UpgradeJob): Promise<boolean> {
    const seen = new Map<string, { readonly etag: string; readonly since: number }>();
    let waitMs = 5;
    for (;;) {
      this.#checkSignal();
      const claims = await job.claims();
      if (claims.length === 0) return false;
      for (const claim of claims) {
        const before = seen.get(claim.id);
        if (before?.etag !== claim.etag) seen.set(claim.id, { etag: claim.etag, since: performance.now() });
        else if (performance.now() - before.since >= this.#claimTimeoutMs) {
          const own = await this.#patiently(() => job.renew(claim));
          if (own === undefined) continue;
          await this.#upgradePage(job, own, await this.#rowsOf(claim));
          return true;
        }
      }
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      waitMs = Math.min(2 * waitMs, this.#claimTimeoutMs / 4, 500);
    }
  }

  async #rowsOf({ from, to }: Claim): Promise<readonly StoredEntity[]> {
    const rows: StoredEntity[] = [];
    const { table } = this.#chooser;
    for await (const page of rowsBetween(this.#storage, table, from, to, this.#request)) rows.push(...page);
    return rows;
  }

  get #claimTimeoutMs(): number {
    return this.#options.claimTimeoutMs ?? 15_000;
  }

  async #waitForRate(rows: number): Promise<void> {
    const { rate } = this.#options;
    if (rate === undefined) return;
    const wait = this.#nextAt - performance.now();
    this.#nextAt = Math.max(this.#nextAt, performance.now()) + (rows / rate) * 1000;
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
  }

  #checkSignal(): void {
    const { signal } = this.#options;
    if (signal?.aborted === true) throw cancelled(signal);
  }

  #tell(change: Partial<UpgradeProgress>): void {
    this.#progress = { ...this.#progress, ...change };
    this.#options.onProgress?.(this.#progress);
  }
}

interface Findings {
  readonly counts: readonly VersionCount[];
  /** Rows that are older and can be upgraded. */
  readonly open: number;
  readonly left: readonly RowLeftBehind[];
  readonly leftCount: number;
}
