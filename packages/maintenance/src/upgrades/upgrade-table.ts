import { type EntityClass, KindError, ModelError, type TableStorage } from "@partita/core";
import {
  accepted,
  type CheckOptions,
  defineOptions,
  keyOfStored,
  kindChooser,
  loadCrypto,
  patientlyBy,
  type Retries,
  retriesOf,
  retryReads,
  type RowReader,
  trueOrFalse,
} from "@partita/core/internal";
import {
  ageOf,
  indexesOf,
  IndexStates,
  type KindChooser,
  labelOf,
  upgradeRows,
} from "@partita/core/internal/jobs";
import type { EntityModel } from "@partita/core/models";
import type { StoredEntity } from "@partita/core/storage";
import { allRows, type CountedTable, countedTable, type VersionCount } from "./census.ts";
import { labelReader } from "./label-reader.ts";
import { type Findings, inspectVersions, VersionCounter } from "./inspect-versions.ts";
import { jobChecks } from "../jobs/job-checks.ts";
import { checkJobTable } from "../jobs/job-record.ts";
import { Pace } from "../jobs/pace.ts";
import { jobRetry, TableJob } from "../jobs/table-job.ts";
import type { RowLeftBehind, UpgradeProgress, UpgradeReport } from "./upgrade-report.ts";

/** Options of `upgradeTable`. */
export interface UpgradeTableOptions {
  /** Upgrades in memory only, and reports what a real run would do. */
  readonly dryRun?: boolean | undefined;
  /** Maximum number of rows per second, over all concurrent work of this call. */
  readonly rate?: number | undefined;
  /** Pages that this call processes concurrently; default 4. Other processes may share the job. */
  readonly concurrency?: number | undefined;
  /**
   * The name of the job in the table `PartitaJobs`. Workers share a job by its name, and a later call resumes it. By
   * default, the name is made from the classes and their versions.
   */
  readonly checkpoint?: string | undefined;
  /** How long a worker may be silent before others take over its page, in milliseconds; default 15,000. */
  readonly claimTimeoutMs?: number | undefined;
  readonly onProgress?: ((progress: UpgradeProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Maximum length of a job's name in characters, since its escaped form is a key. */
const maxJobName = 120;

const checkOptions: CheckOptions = defineOptions<UpgradeTableOptions>(
  "upgradeTable(storage, classes, options)",
  {
    ...jobChecks,
    dryRun: trueOrFalse,
    checkpoint: accepted(
      `a text of at most ${maxJobName} characters`,
      (value) => typeof value === "string" && value.length <= maxJobName,
    ),
  },
  "maintenance.option",
);

/**
 * Upgrades every row of these classes to the current version and stores it together with its index rows.
 *
 * You can stop the call at any time, and a later call resumes it; several processes may share the work. Each row is
 * written under its ETag. If a row changes in between, it is read again; rewriting a row twice has no effect.
 * Afterwards, the complete table is inspected for rows that were not upgraded.
 *
 * @param classes - classes of one table, at least one with `upgrades`
 * @throws ModelError `model.no-upgrades`; OptionError `maintenance.option`; StorageError if requests fail too often, or
 *   if `signal` stops it
 */
export async function upgradeTable(
  storage: TableStorage,
  classes: readonly EntityClass[],
  options: UpgradeTableOptions = {},
): Promise<UpgradeReport> {
  checkOptions(options);
  const chooser = kindChooser(classes);
  const models = upgradedModels(chooser);
  if (models.length === 0)
    throw new ModelError(
      "model.no-upgrades",
      `None of these classes of table ${chooser.table} has upgrades. Declare them: version: upgrades({ … }).to(2, …).`,
      { table: chooser.table },
    );
  checkJobTable(chooser.table);
  return new TableUpgrade(storage, classes, chooser, models, options).run();
}

/** The default name of the job that upgrades classes of one table. */
export function upgradeJobName(classes: readonly EntityClass[]): string {
  const chooser = kindChooser(classes);
  return jobNameOf(chooser.table, upgradedModels(chooser));
}

const upgradedModels = (chooser: KindChooser): readonly EntityModel[] =>
  [...chooser.models, ...chooser.kinds].filter(({ version }) => version?.chain !== undefined);

class TableUpgrade {
  readonly #ownStorage: TableStorage;
  /** The same storage, with retries for reads. */
  readonly #storage: TableStorage;
  readonly #chooser: KindChooser;
  readonly #counted: CountedTable;
  readonly #options: UpgradeTableOptions;
  readonly #job: TableJob;
  readonly #retries: Retries;
  /** Reasons of storage for refusing an upgraded row. */
  readonly #refused = new Map<string, RowLeftBehind>();
  /** The versions of the rows that this call upgraded, before the upgrade. */
  readonly #upgraded = new VersionCounter();
  readonly #written = new VersionCounter();
  #progress: UpgradeProgress = {
    phase: "count",
    pass: 1,
    read: 0,
    total: undefined,
    upgraded: 0,
    changed: 0,
  };
  readonly #pace: Pace;
  readonly #indexStates: IndexStates;

  constructor(
    storage: TableStorage,
    classes: readonly EntityClass[],
    chooser: KindChooser,
    models: readonly EntityModel[],
    options: UpgradeTableOptions,
  ) {
    const { checkpoint, concurrency, claimTimeoutMs, signal } = options;
    const retries = retriesOf(storage, jobRetry);
    this.#ownStorage = storage;
    this.#storage = retryReads(storage, retries);
    this.#chooser = chooser;
    this.#counted = countedTable(classes);
    this.#options = options;
    this.#retries = retries;
    this.#pace = new Pace(options.rate);
    this.#indexStates = new IndexStates(storage, this.#storage);
    this.#job = new TableJob(storage, {
      table: chooser.table,
      name: checkpoint ?? jobNameOf(chooser.table, models),
      concurrency,
      claimTimeoutMs,
      retries,
      signal,
      work: (rows, held) => this.#upgradePage(rows, held),
    });
  }

  async run(): Promise<UpgradeReport> {
    const isDryRun = this.#options.dryRun === true;
    const after = isDryRun ? await this.#inspect("count") : await this.#runPasses();
    const { upgraded, changed } = this.#progress;
    return {
      table: this.#chooser.table,
      isDryRun,
      before: this.#countsBefore(after.counts),
      after: after.counts,
      upgraded: isDryRun ? after.open : upgraded,
      changed,
      left: after.left,
      leftCount: after.leftCount,
      isClean: after.leftCount === 0 && after.open === 0,
    };
  }

  /** The counts before the upgrade: rows that this call upgraded count with their former versions. */
  #countsBefore(after: readonly VersionCount[]): readonly VersionCount[] {
    const counter = new VersionCounter();
    for (const { count, ...label } of [...after, ...this.#upgraded.counts]) counter.add(label, count);
    for (const { count, ...label } of this.#written.counts) counter.add(label, -count);
    return counter.counts;
  }

  /**
   * Repeats until no older rows are left or a round upgrades nothing, since an older program may write in the meantime.
   */
  async #runPasses(): Promise<Findings> {
    await this.#job.open();
    await this.#indexStates.ask(indexesOf(this.#chooser), this.#options.signal);
    for (let pass = 1; ; pass++) {
      const upgradedBefore = this.#progress.upgraded;
      this.#report({ phase: "upgrade", pass, read: 0 });
      await this.#job.runPass();
      const found = await this.#inspect("verify");
      if (found.open === 0 || (pass > 1 && this.#progress.upgraded === upgradedBefore)) return found;
    }
  }

  /** Reads the complete table: counts rows by version, and finds older ones that cannot be upgraded. */
  async #inspect(phase: "count" | "verify"): Promise<Findings> {
    let rows = 0;
    this.#report({ phase, read: 0 });
    const { names } = this.#counted;
    const onProgress = (read: number): void => this.#report({ read: (rows = read) });
    const { signal } = this.#options;
    const reader = this.#labelReader();
    const options = { signal, onProgress };
    const pages = allRows(this.#ownStorage, this.#counted, options, reader, this.#retries);
    const found = await inspectVersions(pages, {
      names,
      modelOf: this.#modelOf,
      refusalOf: (row) => this.#refused.get(idOf(row)),
    });
    this.#report({ total: rows });
    return found;
  }

  /**
   * A reader that only reads discriminator and version, if these decide; rows that may need an upgrade are read
   * completely.
   */
  #labelReader(): RowReader | undefined {
    const { names } = this.#counted;
    const isLabelled = this.#chooser.kinds.every(({ kind }) => kind?.isStored !== false);
    return isLabelled ? labelReader(names, (labels) => !this.#mayBeOlder(labels)) : undefined;
  }

  #mayBeOlder(labels: StoredEntity): boolean {
    try {
      const model = this.#modelOf(labels);
      return model !== undefined && ageOf(model, labels) === "older";
    } catch {
      // A problem with the row is reported when the complete row is read.
      return true;
    }
  }

  /** Rows of other kinds are not changed. */
  readonly #modelOf = (row: StoredEntity): EntityModel | undefined => {
    try {
      return this.#chooser.choose(row);
    } catch (error) {
      if (KindError.is(error)) return undefined;
      throw error;
    }
  };

  async #upgradePage(rows: readonly StoredEntity[], signal: AbortSignal): Promise<void> {
    // Before the first of them is upgraded, so the figures add up at any time.
    this.#report({ read: this.#progress.read + rows.length });
    for (let open = rows; open.length > 0;) open = await this.#upgradeRows(open, signal);
  }

  /** Returns rows that another program changed in between, to be upgraded again. */
  async #upgradeRows(rows: readonly StoredEntity[], signal: AbortSignal): Promise<readonly StoredEntity[]> {
    await this.#pace.wait(signal);
    const changed: StoredEntity[] = [];
    const upgradable = rows.map((row) => ({ row, model: this.#modelOf(row) }));
    await upgradeRows(this.#storage, this.#chooser.table, upgradable, {
      signal,
      patiently: patientlyBy(this.#retries, signal),
      indexStates: this.#indexStates,
      onUpgraded: (index) => {
        const { row, model } = upgradable[index] as (typeof upgradable)[number];
        const label = labelOf(row, this.#counted.names);
        this.#upgraded.add(label);
        this.#written.add({ ...label, version: model?.version?.number });
        this.#progress = { ...this.#progress, upgraded: this.#progress.upgraded + 1 };
        this.#pace.spend();
      },
      onChanged: (_index, row) => {
        if (row !== undefined) changed.push(row);
      },
      onRefused: (index, reason) => {
        const row = rows[index] as StoredEntity;
        this.#refused.set(idOf(row), { key: keyOfStored(row), reason });
      },
    });
    this.#report({ changed: this.#progress.changed + changed.length });
    return changed;
  }

  #report(change: Partial<UpgradeProgress>): void {
    this.#progress = { ...this.#progress, ...change };
    this.#options.onProgress?.(this.#progress);
  }
}

const idOf = ({ PartitionKey, RowKey }: StoredEntity): string => `${PartitionKey}\0${RowKey}`;

/** A name made from the classes and their versions, short enough for a key. */
function jobNameOf(table: string, models: readonly EntityModel[]): string {
  const versions = models
    .map(({ name, version }) => `${name} ${version?.number}`)
    .toSorted()
    .join(", ");
  const name = `${table.toLowerCase()}: ${versions}`;
  if (name.length <= maxJobName) return name;
  return `${table.toLowerCase()}: ${loadCrypto().createHash("sha256").update(versions).digest("hex")}`;
}
