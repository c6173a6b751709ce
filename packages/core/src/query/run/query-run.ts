// `Query` calls this file to read its results. It plans the query, reads pages through `run-plan.ts` or
// `run-merge.ts`, checks the rows, and turns them into entities, a page, a count or rows to write.

import { mayBeOlder } from "../../model/codec/current-row.ts";
import { UnreadableRow, type UnreadableRowPolicy } from "../../model/codec/unreadable-row.ts";
import type { StoredEntity } from "../../values/edm/stored-entity.ts";
import { addWaiting } from "../../values/errors/caller.ts";
import { cancelled } from "../../values/errors/storage-error.ts";
import { namesIn } from "../../values/filter/filter-node.ts";
import type { QueryCounts, QueryTracer } from "./query-tracer.ts";
import type { RowReader } from "../../storage/row-reader.ts";
import type { ReadableRows } from "../../storage/store-engine.ts";
import type { BulkChange, BulkOptions, BulkProgress } from "../options/bulk-options.ts";
import type { Inclusion } from "../build/inclusion.ts";
import type { PageOptions, Page } from "../options/page-options.ts";
import { type QueryPlan, ratingOf } from "../plan/query-plan.ts";
import { storedNamesOf } from "../plan/stored-names.ts";
import { nameOf, type PlannedQuery } from "../planned-query.ts";
import type { QuerySource, QueryState } from "../query-state.ts";
import { countByKeys, isDecidedByKeys } from "./count-by-keys.ts";
import { notWithSort, type Sort } from "../build/sort.ts";
import type { TimedRow } from "./assemble-families.ts";
import { type InMemoryFilter, passesAll } from "../build/in-memory-filter.ts";
import { sorted } from "./sort-rows.ts";
import { eachOnce } from "./each-once.ts";
import { indexStorage } from "./index-storage.ts";
import { notWithInclude, whileMoving } from "../query-errors.ts";
import { FamilyReader } from "./read-families.ts";
import { readFamilyPage } from "./read-family-page.ts";
import { runReversed } from "./read-last.ts";
import { type MovingRows, movingRows } from "./moving-rows.ts";
import { readHeldPage, readMergedPage, readMovingPage, readPage } from "./read-page.ts";
import { runMoving } from "./run-moving.ts";
import type { CheckedRow } from "../../model/codec/choose-kind.ts";
import type { EntityModel } from "../../model/declaration/entity-model.ts";
import { ownsLists } from "../../model/declaration/owned-model.ts";
import { checkPart, RowCheck } from "./row-check.ts";
import { skipPartitions } from "./skip-partitions.ts";
import { runMerge } from "./run-merge.ts";
import { type PlanRunOptions, type ReadPage, type RunOptions, runPlan } from "./run-plan.ts";

/** Reads a query in some way, once storage has said which indexes have been built. */
export async function read<Result>(
  query: PlannedQuery,
  how: (run: QueryRun) => Promise<Result>,
): Promise<Result> {
  try {
    const asking = query.askIndexStates();
    if (asking !== undefined) await asking;
    return await how(new QueryRun(query));
  } catch (error) {
    throw addWaiting(error);
  }
}

/** A query on its way: read as entities, pages, a count, or rows to write. */
export class QueryRun {
  readonly #query: PlannedQuery;
  readonly #source: QuerySource;
  readonly #state: QueryState;
  #rowCheck: RowCheck | undefined;
  readonly #unreadableRows: UnreadableRowPolicy;
  /** The event of the query, while it is traced. */
  #counts: QueryCounts | undefined;

  constructor(query: PlannedQuery) {
    const { source, state } = query;
    this.#query = query;
    this.#source = source;
    this.#state = state;
    this.#unreadableRows = state.unreadableRows ?? source.unreadableRows;
  }

  /** Undefined while no one listens. */
  get #tracer(): QueryTracer | undefined {
    const { tracer } = this.#source;
    return tracer?.channel.hasSubscribers === false ? undefined : tracer;
  }

  /** Made for the first row that has to be checked: most queries are decided by keys and filter. */
  get #check(): RowCheck {
    const { conditions, raw, projection, filters } = this.#state;
    return (this.#rowCheck ??= new RowCheck({
      chooser: this.#source.chooser,
      unreadableRows: this.#unreadableRows,
      conditions,
      scope: this.#source.scope,
      raw,
      onUnreadable: () => this.#countUnreadable(),
      loadedOf: (model) => projection?.loadedOf(model),
      ...(filters !== undefined && { passes: (checked: CheckedRow) => this.#passes(checked, filters) }),
    }));
  }

  /** Asks filters about a copy that is not tracked: entities that they leave out never are. */
  #passes(checked: CheckedRow, filters: readonly InMemoryFilter[]): boolean {
    const { projection } = this.#state;
    const { reader, clock } = this.#source;
    const loaded = projection?.loadedOf(checked.model);
    const how = { merge: "noTracking", readAt: clock.revision, loaded, unreadableRows: "error" } as const;
    const copy = reader.materialize(checked, how);
    return copy === undefined || passesAll(filters, copy, checked.model, projection);
  }

  async *stream(): AsyncGenerator<unknown> {
    const { signal } = this.#state;
    const asking = this.#query.askIndexStates();
    try {
      if (asking !== undefined) await asking;
      for await (const entities of this.#results())
        for (const entity of entities) {
          if (signal?.aborted === true) throw cancelled(signal);
          yield entity;
        }
    } catch (error) {
      throw addWaiting(error);
    }
  }

  async toArray(): Promise<unknown[]> {
    const all: unknown[] = [];
    for await (const entities of this.#results({ isEager: true }))
      for (const entity of entities) all.push(entity);
    return all;
  }

  async count(): Promise<number> {
    const query = this.#query.forCount();
    if (query !== this.#query) return new QueryRun(query).count();
    const { inclusion, filters } = this.#state;
    let count = 0;
    if (inclusion !== undefined) {
      for await (const { length } of this.#families(inclusion, true)) count += length;
      return count;
    }
    const plan = this.#query.checkedPlan();
    const known = await this.#countByKeys(plan);
    if (known !== undefined) return known;
    const select = filters === undefined ? this.#storedNames([]) : undefined;
    const pages = this.#pages({ isEager: true, ...(select !== undefined && { select }) }, plan);
    for await (const { rows } of pages) count += rows.length;
    return count;
  }

  #countByKeys(plan: QueryPlan): Promise<number | undefined> | undefined {
    const { take, signal, retry } = this.#state;
    const { storage, chooser } = this.#source;
    if (take !== undefined || plan.former !== undefined || this.#unreadableRows !== "error") return undefined;
    if (!storage.countsRows || !isDecidedByKeys(chooser, plan)) return undefined;
    const count = (): Promise<number | undefined> => countByKeys(storage, plan, { signal, retry });
    const tracer = this.#tracer;
    if (tracer === undefined) return count();
    return tracer.traceQuery(this.#event(plan), count, (found = 0) => found);
  }

  /** The PartitionKeys with entities that match. */
  async *partitions(): AsyncGenerator<string> {
    if (this.#query.isMoving) throw whileMoving(nameOf(this.#source), "partitions()");
    const asking = this.#query.askIndexStates();
    if (asking !== undefined) await asking;
    const select = this.#state.filters === undefined ? this.#storedNames([]) : undefined;
    const run = { ...this.#runOptions(), ...(select !== undefined && { select }) };
    yield* skipPartitions(this.#storage, this.#query.checkedPlan(1), run);
  }

  page({ size, after }: PageOptions): Promise<Page<unknown>> {
    const { conditions, raw, take, inclusion, sort } = this.#state;
    if (sort !== undefined)
      throw notWithSort("page()", "Read the first ones with take(), or page in key order.");
    const plan = this.#query.checkedPlan(size);
    if (inclusion !== undefined) return this.#familyPage(inclusion, plan, { size, after });
    const unmerged = plan.reversed === "held" ? readHeldPage : readPage;
    const read = plan.isMerged === true ? readMergedPage : unmerged;
    const readCounted = (counts?: QueryCounts): Promise<Page<unknown>> => {
      const run = { ...this.#runOptions(), counts, reader: this.#reader() };
      const asked = { plan, conditions, raw, take };
      const request = {
        size,
        after: after === null || after === "" ? undefined : after,
        build: async (page: ReadPage) => this.#entitiesOf(await this.#upgraded(page)),
      };
      return plan.former === undefined
        ? read(this.#storage, asked, run, request)
        : readMovingPage(this.#movingRows, asked, run, request);
    };
    const tracer = this.#tracer;
    if (tracer === undefined) return readCounted();
    const event = this.#event(plan);
    return tracer.traceQuery(
      event,
      () => readCounted(event),
      ({ entities }) => entities.length,
    );
  }

  #familyPage(inclusion: Inclusion, plan: QueryPlan, { size, after }: PageOptions): Promise<Page<unknown>> {
    if (plan.isMerged === true) throw notWithInclude("page() and inRowKeyOrder() cannot be combined here");
    const { conditions, raw, take } = this.#state;
    const page = { size, after: after === null || after === "" ? undefined : after };
    const read = (counts?: QueryCounts): Promise<Page<unknown>> =>
      readFamilyPage(
        new FamilyReader(inclusion, this.#source, { ...this.#state, take: size + 1 }, { counts }),
        { plan, conditions, raw, take },
        page,
      );
    const tracer = this.#tracer;
    if (tracer === undefined) return read();
    const event = this.#event(plan);
    return tracer.traceQuery(
      event,
      () => read(event),
      ({ entities }) => entities.length,
    );
  }

  /** Writes the rows that the query finds: complete rows, without children. */
  async writeAll(change: BulkChange, options: BulkOptions): Promise<BulkProgress> {
    const { sort, filters, inclusion } = this.#state;
    if (this.#query.isMoving) throw whileMoving(nameOf(this.#source), "removeAll() and updateAll()");
    if (sort !== undefined) throw notWithSort("Writing all entities", "Leave it out, or read them and save.");
    if (filters !== undefined && inclusion !== undefined)
      throw notWithInclude(
        "removeAll() and updateAll() do not read the children that filterInMemory() would get",
      );
    const run = new QueryRun(this.#query.forWrites().with(options));
    const bulk = this.#source.bulk(run.#unreadableRows);
    const select = change === "remove" && !bulk.hasHooks ? run.#namesToRemove() : undefined;
    const rows = run.#rows(change !== "remove", select);
    return bulk.run(rows, select !== undefined, (row) => run.#check.again(row), change, options);
  }

  /** The stored names that deletes need; undefined if they need complete rows. */
  #namesToRemove(): readonly string[] | undefined {
    const { models, kinds } = this.#source.chooser;
    const needsAll = (model: EntityModel): boolean =>
      model.indexes.length > 0 || ownsLists(model) || model.version?.chain !== undefined;
    if (this.#state.filters !== undefined || [...models, ...kinds].some(needsAll)) return undefined;
    return this.#storedNames([]);
  }

  /** @param mayMove - whether processing a row may move it to a part of the index that was not read yet */
  async *#rows(
    mayMove: boolean,
    select: readonly string[] | undefined,
  ): AsyncGenerator<readonly CheckedRow[]> {
    const isOnce = mayMove && this.#query.plan().path !== undefined;
    const options = { ...(isOnce && { prepare: eachOnce() }), ...(select && { select }) };
    for await (const { rows } of this.#pages(options)) yield rows;
  }

  /** The source of its rows. */
  get #storage(): ReadableRows {
    const { storage, chooser } = this.#source;
    const { path } = this.#query.plan();
    return path === undefined ? storage : indexStorage(storage, chooser, path);
  }

  get #movingRows(): MovingRows {
    return movingRows(this.#source.storage, this.#source.chooser);
  }

  #pages(
    options: Pick<PlanRunOptions, "isEager" | "prepare" | "select" | "reader"> = {},
    plan: QueryPlan = this.#query.checkedPlan(),
  ): AsyncGenerator<ReadPage> {
    const run = { ...this.#runOptions(), ...options };
    const take = this.#query.rowsWanted;
    const unmerged = plan.reversed === undefined ? runPlan : runReversed;
    const readPlan = plan.isMerged === true ? runMerge : unmerged;
    const read = (own: PlanRunOptions): AsyncGenerator<ReadPage> =>
      plan.former === undefined
        ? readPlan(this.#storage, plan, take, own)
        : runMoving(this.#movingRows, plan, take, own);
    const tracer = this.#tracer;
    if (tracer === undefined) return read(run);
    const event = this.#event(plan);
    const pages = read({ ...run, counts: event });
    return tracer.traceReading(event, pages, ({ rows }) => rows.length);
  }

  /** Parents with their children. */
  #families(inclusion: Inclusion, isEager: boolean): AsyncGenerator<readonly object[]> {
    const plan = this.#query.checkedPlan();
    const read = (counts?: QueryCounts): AsyncGenerator<readonly object[]> =>
      new FamilyReader(inclusion, this.#source, this.#state, { isEager, counts }).entities(plan);
    const tracer = this.#tracer;
    if (tracer === undefined) return read();
    const event = this.#event(plan);
    return tracer.traceReading(event, read(event), ({ length }) => length);
  }

  /** The event that is published for the query. */
  #event({ table, type, requests, path }: QueryPlan): QueryCounts {
    return (this.#counts = {
      shape: this.#query.shape(),
      table,
      storage: this.#source.storage.description,
      type,
      rating: ratingOf(type),
      requests: requests.length,
      ...(path !== undefined && { index: path.index }),
      pages: 0,
      rows: 0,
      entities: 0,
      unreadable: 0,
      readMs: 0,
    });
  }

  #countUnreadable(): void {
    if (this.#counts !== undefined) this.#counts.unreadable++;
  }

  async *#results(options: { readonly isEager?: boolean } = {}): AsyncGenerator<Iterable<unknown>> {
    const { inclusion, sort } = this.#state;
    const isAsRead = this.#source.upgradeNow === undefined;
    const prepare = isAsRead ? undefined : (page: ReadPage): Promise<ReadPage> => this.#upgraded(page);
    if (inclusion === undefined && sort !== undefined) yield* this.#sorted(sort, prepare);
    else if (inclusion === undefined)
      for await (const page of this.#pages({
        ...options,
        reader: this.#reader(),
        ...(prepare && { prepare }),
      }))
        yield this.#entitiesOf(page);
    else yield* this.#families(inclusion, options.isEager === true);
  }

  /** Entities are made of those rows alone that are given. */
  async *#sorted(sort: Sort, prepare: PlanRunOptions["prepare"]): AsyncGenerator<Iterable<unknown>> {
    const { take } = this.#state;
    const pages = this.#pages({ isEager: true, ...(prepare && { prepare }) });
    const timed = (async function* (): AsyncGenerator<readonly TimedRow[]> {
      for await (const { rows, readAt } of pages) yield rows.map((checked) => ({ ...checked, readAt }));
    })();
    for await (const rows of sorted(timed, sort, take, (row) => row))
      for (const row of rows) yield this.#entitiesOf({ rows: [row], readAt: row.readAt });
  }

  async #upgraded(page: ReadPage): Promise<ReadPage> {
    const { mergeOption, signal, projection } = this.#state;
    const { upgradeNow } = this.#source;
    // Of a part, no row can be made.
    if (upgradeNow === undefined || projection !== undefined) return page;
    const again = (row: CheckedRow["row"]): CheckedRow | undefined => this.#check.again(row);
    return { ...page, rows: await upgradeNow(page.rows, again, mergeOption, signal) };
  }

  *#entitiesOf({ rows, readAt }: ReadPage): Generator<unknown> {
    const { mergeOption, projection } = this.#state;
    for (const checked of rows) {
      if (projection !== undefined && checked.unreadable === undefined) checkPart(checked);
      const loaded = projection?.loadedOf(checked.model);
      const how = { merge: mergeOption, readAt, loaded, unreadableRows: this.#unreadableRows };
      const entity = this.#source.reader.materialize(checked, how);
      if (this.#counts !== undefined && checked.unreadable === undefined && UnreadableRow.is(entity))
        this.#countUnreadable();
      if (entity !== undefined) yield entity;
    }
  }

  /** A row with conditions that were all decided by the keys and the filter. */
  #ofKind(row: StoredEntity): CheckedRow | undefined {
    const model = this.#source.chooser.choose(row);
    return model && { row, model };
  }

  /** The reader that makes entities from the bytes of rows; undefined if more than the entities is needed. */
  #reader(): RowReader | undefined {
    const { mergeOption, projection } = this.#state;
    const { upgradeNow, chooser, readerFor } = this.#source;
    const { path, type } = this.#query.plan();
    // A row that is read by its key is returned as a stored entity.
    if (projection !== undefined || upgradeNow !== undefined || type === "point") return undefined;
    if (this.#query.isMoving) return undefined;
    const isTracked = mergeOption !== "noTracking";
    if (path?.reads === "rows") return undefined;
    return readerFor?.(chooser, path?.index, isTracked);
  }

  /**
   * The stored names to request: these properties, and those that rows are checked by. Undefined for upgrades, which
   * need complete rows.
   */
  #storedNames(names: Iterable<string>): readonly string[] | undefined {
    const { conditions, raw } = this.#state;
    const { models, kinds } = this.#source.chooser;
    const all = [...models, ...kinds];
    // Upgrades, kinds that are decided by the complete row, and counts of readable rows need all properties.
    const needsAll =
      (this.#unreadableRows === "skip" && this.#state.projection === undefined) ||
      all.some((model) => mayBeOlder(model) || model.kind?.isOfKind !== undefined);
    return needsAll ? undefined : storedNamesOf(all, names, conditions, namesIn(raw));
  }

  #runOptions(): RunOptions {
    const { signal, retry, projection, sort } = this.#state;
    const select = projection && this.#storedNames([...projection.names, ...(sort ? [sort.property] : [])]);
    return {
      clock: this.#source.clock,
      ...(select !== undefined && { select }),
      check: (row, request) =>
        request.needsCheck || this.#unreadableRows !== "error"
          ? this.#check.ofRequest(row, request)
          : this.#ofKind(row),
      ...(signal !== undefined && { signal }),
      ...(retry !== undefined && { retry }),
    };
  }
}
