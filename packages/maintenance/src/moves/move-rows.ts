import {
  type EntityClass,
  KindError,
  type KeyOf,
  ModelError,
  TableError,
  type TableStorage,
} from "@partita/core";
import {
  accepted,
  aFunction,
  type CheckOptions,
  defineOptions,
  isOvertaken,
  keyOfStored,
  kindChooser,
  patientlyBy,
  type Retries,
  retriesOf,
  retryReads,
  rowProperty,
  trueOrFalse,
} from "@partita/core/internal";
import {
  etagOf,
  FormerKeys,
  isFormerRow,
  type KindChooser,
  moveOf,
  reservedRow,
  sameKind,
} from "@partita/core/internal/jobs";
import type { EntityModel } from "@partita/core/models";
import { compare, textLiteral } from "@partita/core/protocol";
import type { FilterNode, StoredEntity } from "@partita/core/storage";
import { jobChecks } from "../jobs/job-checks.ts";
import { checkJobTable } from "../jobs/job-record.ts";
import { followRows } from "../jobs/follow-rows.ts";
import { Pace } from "../jobs/pace.ts";
import { jobRetry, TableJob } from "../jobs/table-job.ts";
import type { RowLeftBehind } from "../upgrades/upgrade-report.ts";
import { type MovableRow, movePage } from "./move-page.ts";
import type { MoveProgress, MoveReport } from "./move-report.ts";

/** Options of `moveRows`. */
export interface MoveRowsOptions<
  Old extends EntityClass = EntityClass,
  New extends EntityClass = EntityClass,
> {
  /**
   * Returns the new key of an entity, given the old entity; by default its properties with the same names. It must
   * always return the same key for the same entity.
   */
  readonly key?: ((old: InstanceType<Old>) => KeyOf<New>) | undefined;
  /** Counts the rows that would be moved, and writes nothing. */
  readonly dryRun?: boolean | undefined;
  /** Maximum number of rows per second, over all concurrent work of this call. */
  readonly rate?: number | undefined;
  /** Pages that this call processes concurrently; default 4. Other processes may share the job. */
  readonly concurrency?: number | undefined;
  /**
   * The name of the job in the table `PartitaJobs`. Workers share a job by its name, and a later call resumes it. By
   * default, the name is made from the table and the two classes.
   */
  readonly checkpoint?: string | undefined;
  /** How long a worker may be silent before others take over its page, in milliseconds; default 15,000. */
  readonly claimTimeoutMs?: number | undefined;
  /** Called after each page. */
  readonly onProgress?: ((progress: MoveProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

const maxJobName = 120;

const checkOptions: CheckOptions = defineOptions<MoveRowsOptions>(
  "moveRows(storage, Old, New, options)",
  {
    ...jobChecks,
    key: aFunction,
    dryRun: trueOrFalse,
    checkpoint: accepted(
      `a text of at most ${maxJobName} characters`,
      (value) => typeof value === "string" && value.length <= maxJobName,
    ),
  },
  "maintenance.option",
);

/**
 * Moves the rows of a class to other keys: in the same table or in another one, with their undeclared properties,
 * versions and index rows. Programs may read and write the entities meanwhile, if their class has `formerKeys`.
 *
 * You can stop the call at any time, and a later call resumes it; several processes may share the work. Each entity is
 * found once at any time, under one of its keys. If a row changes in between, its new content is moved.
 *
 * @example
 * ```ts
 * const shape = { table: "Posts", rowKey: { postedOn: newestFirst }, properties: {} } as const;
 * class PostByMonth extends defineEntity({ ...shape, partitionKey: { postedOn: month } }) {}
 * class PostByWeek extends defineEntity({
 *   ...shape,
 *   partitionKey: { postedOn: week },
 *   formerKeys: PostByMonth,
 * }) {}
 * await createTables(storage, [PostByWeek]);
 * const { isClean, left } = await moveRows(storage, PostByMonth, PostByWeek);
 * console.log(isClean, left); // → true []
 * ```
 *
 * @param Old - the class with the former keys; its kinds are moved, too
 * @param New - the class with the new keys, and kinds of the same names. Its table has to exist
 * @throws ModelError `model.former-keys`; OptionError `maintenance.option`; StorageError if requests fail too often, or
 *   if `signal` stops it
 */
export async function moveRows<Old extends EntityClass, New extends EntityClass>(
  storage: TableStorage,
  Old: Old,
  New: New,
  options: MoveRowsOptions<Old, New> = {},
): Promise<MoveReport> {
  checkOptions(options);
  const chooser = kindChooser([Old]);
  checkJobTable(chooser.table);
  return new RowsMove(storage, chooser, New, options as MoveRowsOptions).run();
}

/** Maximum number of remaining rows in a report. */
const maxListed = 1000;

class RowsMove {
  readonly #storage: TableStorage;
  readonly #retries: Retries;
  readonly #chooser: KindChooser;
  readonly #options: MoveRowsOptions;
  readonly #job: TableJob;
  readonly #pace: Pace;
  /** The new classes, with the moves of each former class. */
  readonly #moves = new Map<EntityModel, { readonly model: EntityModel; readonly former: FormerKeys }>();
  readonly #refused = new Map<string, Error>();
  #progress: MoveProgress = { phase: "count", read: 0, moved: 0, changed: 0 };

  constructor(storage: TableStorage, chooser: KindChooser, New: EntityClass, options: MoveRowsOptions) {
    const { checkpoint, concurrency, claimTimeoutMs, signal, key } = options;
    this.#retries = retriesOf(storage, jobRetry);
    this.#storage = retryReads(storage, this.#retries);
    this.#chooser = chooser;
    this.#options = options;
    this.#pace = new Pace(options.rate);
    for (const old of new Set([...chooser.models, ...chooser.kinds])) {
      const model = sameKind(old, New);
      if (model === undefined) throw noKind(old, New);
      this.#moves.set(old, { model, former: new FormerKeys(model, old, key as never) });
    }
    const name = `${chooser.table.toLowerCase()}: ${chooser.models[0]?.name} to ${New.name}`;
    this.#job = new TableJob(storage, {
      table: chooser.table,
      name: checkpoint ?? name.slice(0, maxJobName),
      concurrency,
      claimTimeoutMs,
      retries: this.#retries,
      signal,
      work: (rows, held) => this.#movePage(rows, held),
    });
  }

  async run(): Promise<MoveReport> {
    const isDryRun = this.#options.dryRun === true;
    const { open, left, leftCount } = isDryRun ? await this.#inspect("count") : await this.#runPasses();
    const { moved, changed } = this.#progress;
    return {
      table: this.#chooser.table,
      isDryRun,
      moved: isDryRun ? open : moved,
      changed,
      left,
      leftCount,
      isClean: open === 0 && leftCount === 0,
    };
  }

  /** Repeats until nothing is left, or a round moves nothing: an older program may write in the meantime. */
  async #runPasses(): Promise<Found> {
    await this.#job.open();
    for (let pass = 1; ; pass++) {
      const movedBefore = this.#progress.moved;
      this.#report({ phase: "move", read: 0 });
      await this.#job.runPass();
      await this.#dropReservations();
      const found = await this.#inspect("verify");
      if (found.open === 0 || (pass > 1 && this.#progress.moved === movedBefore)) return found;
    }
  }

  /** Reads the complete table, and counts the rows under former keys. */
  async #inspect(phase: "count" | "verify"): Promise<Found> {
    const left: RowLeftBehind[] = [];
    let [open, leftCount, read] = [0, 0, 0];
    this.#report({ phase, read });
    for await (const rows of this.#rows(this.#chooser.table)) {
      for (const row of rows) {
        const planned = this.#planOf(row);
        if (planned === undefined) continue;
        const key = keyOfStored(row);
        const reason = "reason" in planned ? planned.reason : this.#refused.get(idOf(row));
        if (reason === undefined) open++;
        else if (++leftCount <= maxListed) left.push({ key, reason });
      }
      this.#report({ read: (read += rows.length) });
    }
    return { open, left, leftCount };
  }

  async *#rows(table: string, filter?: FilterNode): AsyncGenerator<readonly StoredEntity[]> {
    const { signal } = this.#options;
    const request = { signal, mayBeStale: false };
    const query = filter === undefined ? {} : { filter };
    for await (const page of followRows(this.#storage, table, query, { retries: this.#retries, request }))
      yield page.rows as readonly StoredEntity[];
  }

  /** A row under a former key with its move, or the reason why it can't be moved; undefined for all other rows. */
  #planOf(row: StoredEntity): MovableRow | { readonly reason: Error } | undefined {
    try {
      const kind = this.#kindOf(row);
      const known = kind && this.#moves.get(kind);
      if (known === undefined || !known.former.holds(row)) return undefined;
      const { former, model } = known;
      const move = moveOf(model, former, keyOfStored(row), former.presentKey(row));
      const { "odata.etag": _etag, Timestamp: _time, ...rest } = former.presentRow(row);
      const moved = rest as StoredEntity;
      const [oldIndexRows, newIndexRows] = [move.oldIndexRows(row), move.newIndexRows(moved)];
      return { row, move, moved, oldIndexRows, newIndexRows };
    } catch (error) {
      if (TableError.is(error)) return { reason: error };
      throw error;
    }
  }

  /** The former class of a row, also if the row is already moved. */
  #kindOf(row: StoredEntity): EntityModel | undefined {
    if (!isFormerRow(row)) return undefined;
    const { [rowProperty]: _mark, ...rest } = row;
    try {
      return this.#chooser.choose(rest as StoredEntity);
    } catch (error) {
      if (KindError.is(error)) return undefined;
      throw error;
    }
  }

  async #movePage(rows: readonly StoredEntity[], signal: AbortSignal): Promise<void> {
    await this.#pace.wait(signal);
    const planned = rows.map((row) => this.#planOf(row));
    const movable = planned.filter((each) => each !== undefined && "move" in each);
    await movePage(this.#storage, movable, {
      signal,
      patiently: patientlyBy(this.#retries, signal),
      onMoved: ({ row }) => {
        this.#refused.delete(idOf(row));
        this.#progress = { ...this.#progress, moved: this.#progress.moved + 1 };
        this.#pace.spend();
      },
      onAlone: () => this.#report({ changed: this.#progress.changed + 1 }),
      onLeft: ({ row }, reason) => void this.#refused.set(idOf(row), reason),
    });
    this.#report({ read: this.#progress.read + rows.length });
  }

  /**
   * Deletes reservations of workers that ended before their row was moved; a worker that still needs one makes it
   * again.
   */
  async #dropReservations(): Promise<void> {
    const patiently = patientlyBy(this.#retries, this.#options.signal);
    const tables = new Set([...this.#moves.values()].map(({ model }) => model.table));
    const isReserved = compare("eq", rowProperty, textLiteral(reservedRow));
    for (const table of tables)
      for await (const rows of this.#rows(table, isReserved))
        for (const row of rows) {
          const operation = { type: "delete", key: keyOfStored(row), etag: etagOf(row) ?? "*" } as const;
          const request = { signal: this.#options.signal };
          await patiently(() => this.#storage.write(table, operation, request)).catch((error: unknown) => {
            if (!isOvertaken(error)) throw error;
          });
        }
  }

  #report(change: Partial<MoveProgress>): void {
    this.#progress = { ...this.#progress, ...change };
    this.#options.onProgress?.(this.#progress);
  }
}

/** The rows under former keys. */
interface Found {
  /** Rows that can be moved. */
  readonly open: number;
  readonly left: readonly RowLeftBehind[];
  readonly leftCount: number;
}

const idOf = ({ PartitionKey, RowKey }: StoredEntity): string => `${PartitionKey}\0${RowKey}`;

const noKind = ({ name, kind }: EntityModel, New: EntityClass): ModelError =>
  new ModelError(
    "model.former-keys",
    `moveRows() moves ${name}${kind === undefined ? "" : `, which is the kind "${kind.name}"`}, but ${New.name} has no such kind. Declare it below ${New.name}.`,
    { entity: name, other: New.name },
  );
