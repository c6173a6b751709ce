import { cancelled } from "../../errors/storage-error.ts";
import { ScanRefused } from "../../errors/query-error.ts";
import { copyReaderFor } from "../../codec/scan/copied-entity.ts";
import { rowReaderFor } from "../../codec/scan/row-reader.ts";
import { mayBeOlder } from "../../codec/current-row.ts";
import { namesIn } from "../../filter/filter-node.ts";
import { primaryPath } from "../../model/build-indexes.ts";
import type { EntityModel } from "../../model/entity-model.ts";
import { type Explanation, explainPlan } from "../plan/explain.ts";
import { planPath } from "../plan/choose-path.ts";
import { planFamilies } from "../plan/plan-query.ts";
import type { RowReader } from "../../storage/row-reader.ts";
import type { TableStorage } from "../../storage/table-storage.ts";
import { isQueryTraced, type QueryCounts, traceQuery, traceReading } from "../../observe/trace-query.ts";
import { type QueryPlan, ratingOf } from "../plan/query-plan.ts";
import { shapeOf } from "../plan/query-shape.ts";
import { isShortMerge, maxMerged, requestsByPartition } from "../plan/row-key-order.ts";
import { propertiesOf, storedNamesOf } from "../plan/stored-names.ts";
import { notInOrder, notMergeable, orderOfIndex, tooManyToMerge } from "../query-errors.ts";
import type { Inclusion } from "./include.ts";
import type { BulkChange, BulkOptions, BulkProgress } from "./bulk.ts";
import type { QuerySource, QueryState } from "./query-state.ts";
import { eachOnce } from "./each-once.ts";
import { indexStorage } from "./index-storage.ts";
import { familyChooser, readFamilies } from "./read-families.ts";
import { type PageOptions, type QueryPage, readMergedPage, readPage } from "./read-page.ts";
import { type CheckedRow, checkPart, RowCheck } from "./row-check.ts";
import { readRows } from "./run-merge.ts";
import type { PlanRunOptions, ReadPage, RunOptions } from "./run-plan.ts";

/** A query on its way: planned once, and read as entities, pages, a count, or rows to write. */
export class QueryRun {
  readonly #source: QuerySource;
  readonly #state: QueryState;
  readonly #check: RowCheck;
  #planned: QueryPlan | undefined;

  /** @param planned - the plan of the same query, where it was made before */
  constructor(source: QuerySource, state: QueryState, planned?: QueryPlan) {
    const { chooser, failedUpgrades } = source;
    const { conditions, raw } = state;
    this.#source = source;
    this.#state = state;
    this.#check = new RowCheck({ chooser, failedUpgrades, conditions, raw });
    this.#planned = planned;
  }

  /** The same query, with what one call says about its requests in place of what the query says. */
  with({ signal, retry }: Pick<QueryState, "signal" | "retry">): QueryRun {
    if (signal === undefined && retry === undefined) return this;
    const state = { ...this.#state, ...(signal && { signal }), ...(retry && { retry }) };
    return new QueryRun(this.#source, state, this.#planned);
  }

  /** The same query, of which so many are wanted. */
  take(count: number): QueryRun {
    const take = Math.min(count, this.#state.take ?? count);
    return new QueryRun(this.#source, { ...this.#state, take }, this.#planned);
  }

  explain(): Explanation {
    const { storage } = this.#source;
    return explainPlan(this.#plan(), storage.isUnordered !== true, this.#shape(), this.#state.take);
  }

  async *stream(): AsyncGenerator<unknown> {
    const { signal } = this.#state;
    for await (const entities of this.#results())
      for (const entity of entities) {
        if (signal?.aborted === true) throw cancelled(signal);
        yield entity;
      }
  }

  async toArray(): Promise<unknown[]> {
    const all: unknown[] = [];
    for await (const entities of this.#results({ isEager: true }))
      for (const entity of entities) all.push(entity);
    return all;
  }

  async count(): Promise<number> {
    const { inclusion, isByRowKey, ...state } = this.#state;
    // Children are not counted, and an order counts nothing: the plan without them is another one.
    if (inclusion !== undefined || isByRowKey === true)
      return new QueryRun(this.#sourceAlone(), state).count();
    let count = 0;
    const select = this.#storedNames([]);
    const pages = this.#pages({ isEager: true, ...(select !== undefined && { select }) });
    for await (const { rows } of pages) count += rows.length;
    return count;
  }

  page({ size, after }: PageOptions): Promise<QueryPage<unknown>> {
    const { conditions, raw, take } = this.#state;
    const plan = this.#checkedPlan(size);
    const read = plan.isMerged === true ? readMergedPage : readPage;
    const readCounted = (counts?: QueryCounts): Promise<QueryPage<unknown>> => {
      const run = { ...this.#runOptions(), counts, reader: this.#reader() };
      return read(this.#storage, { plan, conditions, raw, take }, run, {
        size,
        after: after === null || after === "" ? undefined : after,
        build: async (page) => this.#entitiesOf(await this.#upgraded(page)),
      });
    };
    if (!isQueryTraced()) return readCounted();
    const event = this.#event(plan);
    return traceQuery(
      event,
      () => readCounted(event),
      ({ entities }) => entities.length,
    );
  }

  /** Writes what the query finds: whole rows, without children. */
  async writeAll(change: BulkChange, options: BulkOptions): Promise<BulkProgress> {
    const { projection: _whole, inclusion, ...state } = this.#state;
    const planned = inclusion === undefined && this.#planned?.path === undefined ? this.#planned : undefined;
    const run = new QueryRun(this.#sourceAlone(), { ...state, isFresh: true }, planned).with(options);
    return this.#source
      .bulk()
      .run(run.#rows(change !== "remove"), (row) => run.#check.again(row), change, options);
  }

  /** @param mayMove - whether what is done with a row may put it where the index is still to be read */
  async *#rows(mayMove: boolean): AsyncGenerator<readonly CheckedRow[]> {
    const isOnce = mayMove && this.#plan().path !== undefined;
    for await (const { rows } of this.#pages(isOnce ? { prepare: eachOnce() } : {})) yield rows;
  }

  #plan(): QueryPlan {
    if (this.#planned !== undefined) return this.#planned;
    const { chooser } = this.#source;
    const { conditions, raw, inclusion, isByRowKey } = this.#state;
    const isPartial = (model: EntityModel): boolean =>
      [model, ...chooser.kinds].some((each) => this.#check.mayLeaveOut(each)) ||
      (model.kind === undefined && conditions.list.some(({ kind }) => kind !== undefined));
    if (inclusion !== undefined) {
      const { parent, child } = inclusion;
      const families = { model: parent, predicate: conditions.for(parent), isPartial: isPartial(parent) };
      this.#planned = planFamilies(familyChooser(inclusion), families, child, isByRowKey);
    } else
      this.#planned = planPath({
        chooser,
        conditions,
        raw,
        asked: this.#state.path,
        needed: this.#needed(),
        isFresh: this.#mustBeFresh(),
        isPartial,
        isByRowKey: isByRowKey === true,
      });
    return this.#planned;
  }

  /** The properties that are needed of each row; undefined: all of them. */
  #needed(): ReadonlySet<string> | undefined {
    const { projection, conditions, raw } = this.#state;
    // A filter in the service's words names what no class declares.
    if (projection === undefined || raw !== undefined) return undefined;
    return new Set([...projection.names, ...propertiesOf(conditions)]);
  }

  /** What an index holds is as old as its last write: a tracked entity is refreshed, and rows are written, by their own. */
  #mustBeFresh(): boolean {
    const { mergeOption, isFresh } = this.#state;
    const isRead = mergeOption === "appendOnly" || mergeOption === "noTracking";
    return isFresh === true || !isRead || this.#source.upgradeNow !== undefined;
  }

  /** Where its rows come from. */
  get #storage(): TableStorage {
    const { storage, chooser } = this.#source;
    const { path } = this.#plan();
    return path === undefined ? storage : indexStorage(storage, chooser, path);
  }

  #shape(): string {
    const { chooser } = this.#source;
    const { conditions, raw, inclusion, path } = this.#state;
    const classes = chooser.models.map(({ name }) => name);
    return shapeOf({ classes, children: inclusion?.property, path, conditions: conditions.list, raw });
  }

  /** The source of the same query without its children: whether it is a declared one is asked of it as it is. */
  #sourceAlone(): QuerySource {
    if (this.#state.inclusion === undefined) return this.#source;
    const { checkShape, ...source } = this.#source;
    checkShape?.(this.#shape());
    return source;
  }

  /** @param wanted - rows that one call reads at most */
  #checkedPlan(wanted: number | undefined = this.#state.take): QueryPlan {
    const { checkShape } = this.#source;
    // Made only where somebody looks at it.
    if (checkShape !== undefined) checkShape(this.#shape());
    const plan = this.#plan();
    const { mayScan, isByRowKey } = this.#state;
    if (isByRowKey === true) this.#checkOrder(plan);
    if (plan.type === "table scan" && !mayScan && !isShortMerge(plan, wanted))
      throw new ScanRefused(nameOf(this.#source), plan.table, plan.missing, plan.alternatives);
    return plan;
  }

  #checkOrder(plan: QueryPlan): void {
    const name = nameOf(this.#source);
    const { path } = this.#state;
    if (path !== undefined && path !== primaryPath) throw orderOfIndex(name, path);
    if (this.#source.storage.isUnordered === true) throw notInOrder(name);
    if (plan.isMerged !== true) return;
    const partitions = requestsByPartition(plan);
    if (partitions === undefined) throw notMergeable(name, partitionNames(this.#source));
    if (partitions.size > maxMerged) throw tooManyToMerge(name, partitions.size, maxMerged);
  }

  #pages(
    options: Pick<PlanRunOptions, "isEager" | "prepare" | "select" | "reader"> = {},
  ): AsyncGenerator<ReadPage> {
    const run = { ...this.#runOptions(), ...options };
    const plan = this.#checkedPlan();
    const { take } = this.#state;
    if (!isQueryTraced()) return readRows(this.#storage, plan, take, run);
    const event = this.#event(plan);
    const pages = readRows(this.#storage, plan, take, { ...run, counts: event });
    return traceReading(event, pages, ({ rows }) => rows.length);
  }

  /** Parents with their children. */
  #families(inclusion: Inclusion, isEager: boolean): AsyncGenerator<readonly object[]> {
    const plan = this.#checkedPlan();
    const read = (counts?: QueryCounts): AsyncGenerator<readonly object[]> =>
      readFamilies(inclusion, plan, this.#source, this.#state, { isEager, counts });
    if (!isQueryTraced()) return read();
    const event = this.#event(plan);
    return traceReading(event, read(event), ({ length }) => length);
  }

  /** What is published of the query. */
  #event({ table, type, requests, path }: QueryPlan): QueryCounts {
    return {
      shape: this.#shape(),
      table,
      storage: this.#source.storage.description,
      type,
      rating: ratingOf(type),
      requests: requests.length,
      ...(path !== undefined && { index: path.index }),
      pages: 0,
      rows: 0,
      entities: 0,
      readMs: 0,
    };
  }

  async *#results(options: { readonly isEager?: boolean } = {}): AsyncGenerator<Iterable<unknown>> {
    const { inclusion } = this.#state;
    const isAsRead = this.#source.upgradeNow === undefined;
    const prepare = isAsRead ? undefined : (page: ReadPage): Promise<ReadPage> => this.#upgraded(page);
    if (inclusion === undefined)
      for await (const page of this.#pages({
        ...options,
        reader: this.#reader(),
        ...(prepare && { prepare }),
      }))
        yield this.#entitiesOf(page);
    else yield* this.#families(inclusion, options.isEager === true);
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
      if (projection !== undefined) checkPart(checked);
      const loaded = projection?.loadedOf(checked.model);
      const entity = this.#source.materialize(checked, mergeOption, readAt, loaded);
      if (entity !== undefined) yield entity;
    }
  }

  /** What makes entities from the bytes of rows; undefined where more than the entities is needed. */
  #reader(): RowReader | undefined {
    const { mergeOption, projection } = this.#state;
    const { upgradeNow, chooser } = this.#source;
    const { path } = this.#plan();
    if (projection !== undefined || upgradeNow !== undefined) return undefined;
    const isTracked = mergeOption !== "noTracking";
    if (path === undefined) return rowReaderFor(chooser, isTracked);
    return path.reads === "copies" ? copyReaderFor(chooser, path.index, isTracked) : undefined;
  }

  /** What to ask a store for: these properties, and what rows are checked for. Upgrades need whole rows: undefined. */
  #storedNames(names: Iterable<string>): readonly string[] | undefined {
    const { conditions, raw } = this.#state;
    const { models, kinds } = this.#source.chooser;
    const all = [...models, ...kinds];
    // Upgrades, and kinds that are decided by the whole row, need all of it.
    const needsAll = all.some((model) => mayBeOlder(model) || model.kind?.isOfKind !== undefined);
    return needsAll ? undefined : storedNamesOf(all, names, conditions, namesIn(raw));
  }

  #runOptions(): RunOptions {
    const { signal, retry, projection } = this.#state;
    const select = projection && this.#storedNames(projection.names);
    return {
      now: this.#source.now,
      ...(select !== undefined && { select }),
      check: (row, request): EntityModel | undefined => this.#check.ofRequest(row, request),
      ...(signal !== undefined && { signal }),
      ...(retry !== undefined && { retry }),
    };
  }
}

/** The properties that PartitionKeys are made of. */
function partitionNames({ chooser }: QuerySource): string[] {
  const parts = chooser.models.flatMap((model) => model.partitionKey.parts);
  return [...new Set(parts.flatMap(({ property }) => property ?? []))];
}

/** What a query asks for, for messages. */
export const nameOf = ({ chooser }: Pick<QuerySource, "chooser">): string =>
  chooser.models.map((model) => model.name).join(" | ");
