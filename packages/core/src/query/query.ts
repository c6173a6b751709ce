import type { StoredEntity } from "../edm/stored-entity.ts";
import { QueryError, ScanRefused } from "../errors/query-error.ts";
import { UpgradeError } from "../errors/upgrade-error.ts";
import { cancelled } from "../errors/storage-error.ts";
import { checkRetryPolicy, type RetryPolicy } from "../storage/retry-policy.ts";
import { checkChoice, checkOptions } from "../errors/unknown-option.ts";
import { allOf, type FilterNode, namesIn } from "../filter/filter-node.ts";
import { childModelOf, type ChildrenOf } from "../model/children.ts";
import type { EntityClass } from "../model/entity-definition.ts";
import { checkClean, currentRow, mayBeOlder } from "../codec/current-row.ts";
import type { EntityModel } from "../model/entity-model.ts";
import type { SystemNamesOf } from "../model/entity-shape.ts";
import { modelOf } from "../model/model-registry.ts";
import { type MergeOption, mergeOptions } from "../unit-of-work/merge-row.ts";
import type { BulkChange, BulkOptions, BulkProgress } from "./run/bulk.ts";
import { type Columns, columnsOf, equalities, type EqualTo } from "./build/columns.ts";
import { type Explanation, explainPlan } from "./plan/explain.ts";
import { planFamilies, planQuery } from "./plan/plan-query.ts";
import { RawFilter } from "./build/odata.ts";
import type { QuerySource, QueryState } from "./run/query-state.ts";
import { familyChooser, readFamilies } from "./run/read-families.ts";
import { type PageOptions, type QueryPage, readPage } from "./run/read-page.ts";
import type { IncludeOptions, Relations, WithChildren } from "./run/include.ts";
import { matches } from "./run/matching.ts";
import type { PredicateNode } from "./build/predicate-node.ts";
import { type BuiltPredicate, notAPredicate, predicateOf, type PredicateResult } from "./build/predicate.ts";
import type { PlannedKind, QueryPlan } from "./plan/query-plan.ts";
import { type Projected, Projection } from "./build/projection.ts";
import { storedNamesOf } from "./plan/stored-names.ts";
import { type ReadPage, type RunOptions, runPlan } from "./run/run-plan.ts";
import { warnOfDropped } from "./build/warn-of-dropped.ts";

/**
 * A question over one table: immutable, so that each method gives another query. Nothing is sent until it is
 * enumerated. Entities come in key order, each once; one that was removed and not yet saved still comes.
 */
export class Query<Entity extends object, Result = Entity> implements AsyncIterable<Result> {
  readonly #source: QuerySource;
  readonly #state: QueryState;
  #planned: QueryPlan | undefined;

  /** @internal Use `context.query(Class)`. */
  constructor(source: QuerySource, state: QueryState) {
    this.#source = source;
    this.#state = state;
  }

  /**
   * Narrows the query: `where(b => b.channel.eq("Channel9").and(b.rating.ge(3)))`, or `where({ channel: "Channel9" })`
   * for equality. Several conditions, and several calls, must all hold. Conditions are joined by methods: a callback that
   * joins them by `||` drops all but the first, and is warned of once (`PARTITA_WHERE_OR`).
   *
   * @throws QueryError for anything but a predicate, a dropped condition, an unknown property or an undefined value
   */
  where(condition: ((columns: Columns<Entity>) => PredicateResult) | EqualTo<Entity>): Query<Entity, Result> {
    if (typeof condition === "function") warnOfDropped(condition, this, "where");
    const nodes = nodesOf<Entity>(condition, this.#source.chooser.models, this.#name());
    return this.#with({ conditions: this.#state.conditions.and(nodes) });
  }

  /**
   * Narrows the entities of one kind among several: `whereKind(Comment, c => c.author.eq("Ann"))` leaves other kinds as
   * they are. On that kind's properties, as `where` is.
   *
   * @throws QueryError `query.not-of-query` for a class that the query does not ask for; as `where` does
   */
  whereKind<Kind extends Entity>(
    kind: EntityClass<Kind>,
    condition: ((columns: Columns<Kind>) => PredicateResult) | EqualTo<Kind>,
  ): Query<Entity, Result> {
    const model = modelOf(kind);
    const { models, kinds } = this.#source.chooser;
    if (!models.includes(model) && !kinds.includes(model))
      throw new QueryError(
        "query.not-of-query",
        `whereKind(${model.name}) narrows a kind that this query over ${this.#name()} does not ask for.`,
        { entity: model.name },
      );
    if (typeof condition === "function") warnOfDropped(condition, this, "whereKind");
    const nodes = nodesOf<Kind>(condition, [model], model.name);
    return this.#with({ conditions: this.#state.conditions.and(nodes, kind) });
  }

  /**
   * Takes the children of each entity along: `include(b => b.comments)`. Parents and children come in one range and are
   * put together by key; conditions are on the parents. Children without a stored parent are left out, with a
   * process warning, unless `onOrphan` says otherwise.
   *
   * @throws ModelError `model.children`; QueryError `query.include` beside `select`, `page` or another `include`;
   *   `query.orphan` while reading
   */
  include<Name extends ChildrenOf<Entity> & string>(
    choose: (relations: Relations<Entity>) => { readonly relation: Name },
    options: IncludeOptions = {},
  ): Query<Entity, WithChildren<Result, Entity, Name>> {
    checkOptions("include(relation, options)", options, ["onOrphan"]);
    if (options.onOrphan !== undefined && typeof options.onOrphan !== "function")
      checkChoice("include(…, { onOrphan })", options.onOrphan, ["error"]);
    const [parent, another] = this.#source.chooser.models;
    if (parent === undefined || another !== undefined || this.#state.inclusion !== undefined)
      throw notWithInclude("include() takes the children of one class along, once");
    const relations = new Proxy({}, { get: (_target, relation) => ({ relation }) }) as Relations<Entity>;
    const { relation: property } = choose(relations);
    const inclusion = { property, parent, child: childModelOf(parent, property), onOrphan: options.onOrphan };
    return this.#with({ inclusion }) as unknown as Query<Entity, WithChildren<Result, Entity, Name>>;
  }

  /**
   * Adds a filter in the service's own words, for what `where` cannot say, such as properties that no class declares. It
   * names stored properties, and never makes a scan a range.
   *
   * @param filter - made by the tag `odata`
   * @throws QueryError `query.not-a-filter` for anything else
   */
  filter(filter: RawFilter): Query<Entity, Result> {
    if (!(filter instanceof RawFilter))
      throw new QueryError(
        "query.not-a-filter",
        "filter() takes odata`…`. For conditions on declared properties, use where().",
      );
    return this.#with({
      raw: allOf([...(this.#state.raw === undefined ? [] : [this.#state.raw]), filter.node]) as FilterNode,
    });
  }

  /** At most this many entities, over all pages. */
  take(count: number): Query<Entity, Result> {
    if (!Number.isInteger(count) || count < 0)
      throw new QueryError("query.take", "take() takes a whole number of entities, 0 or more.");
    return this.#with({ take: Math.min(count, this.#state.take ?? count) });
  }

  /** How rows meet entities that are already tracked. */
  merge(option: MergeOption): Query<Entity, Result> {
    checkChoice("merge(option)", option, mergeOptions);
    return this.#with({ merge: option });
  }

  /**
   * Reads these properties only, and the keys. Entities are tracked as usual, knowing what they did not load: a save
   * sends what was assigned. With `noTracking`, each row becomes a plain object.
   *
   * @throws QueryError `query.unknown-property`; `query.system-property` for ETag and Timestamp, which always come;
   *   `query.select` for an array or anything else that is no name
   */
  select<const Names extends readonly Exclude<keyof Columns<Entity> & keyof Entity, SystemNamesOf<Entity>>[]>(
    ...names: Names
  ): Query<Entity, Projected<Entity, Names[number]>> {
    if (this.#state.inclusion !== undefined) throw notWithInclude("select() reads parts of entities");
    const projection = new Projection(this.#source.chooser.models, this.#name(), names as readonly string[]);
    return this.#with({ projection }) as unknown as Query<Entity, Projected<Entity, Names[number]>>;
  }

  /** Allows reading the whole table where the predicate names no partition. */
  scan(): Query<Entity, Result> {
    return this.#with({ mayScan: true });
  }

  /** Cancels the query's requests when the signal does. */
  signal(signal: AbortSignal): Query<Entity, Result> {
    return this.#with({ signal });
  }

  /** How the query's requests are tried again; the context's policy when it is not called. @throws StateError `context.retry` */
  retry(policy: RetryPolicy): Query<Entity, Result> {
    return this.#with({ retry: checkRetryPolicy(policy) });
  }

  /** What the query will do, without doing it. */
  explain(): Explanation {
    return explainPlan(this.#plan(), this.#source.storage.isUnordered !== true);
  }

  /** Streams the entities, one page ahead; stops reading when the loop is left. @throws ScanRefused */
  async *[Symbol.asyncIterator](): AsyncGenerator<Result> {
    const { signal } = this.#state;
    for await (const entities of this.#results())
      for (const entity of entities) {
        if (signal?.aborted === true) throw cancelled(signal);
        yield entity;
      }
  }

  /** All entities. @throws ScanRefused */
  async toArray(): Promise<Result[]> {
    const all: Result[] = [];
    for await (const entities of this.#results({ isEager: true }))
      for (const entity of entities) all.push(entity);
    return all;
  }

  /** The first entity in key order; undefined when there is none. @throws ScanRefused */
  async first(): Promise<Result | undefined> {
    const [entity] = await this.take(1).toArray();
    return entity;
  }

  /**
   * The only entity there is.
   *
   * @throws QueryError `query.none-found` or `query.several-found`; ScanRefused
   */
  async single(): Promise<Result> {
    const [entity, another] = await this.take(2).toArray();
    if (entity === undefined || another !== undefined) throw notSingle(this.#name(), another !== undefined);
    return entity;
  }

  /** How many entities there are: reads the keys of all, and tracks none. @throws ScanRefused */
  async count(): Promise<number> {
    if (this.#state.inclusion !== undefined) return this.#withoutChildren().count();
    let count = 0;
    const select = this.#storedNames([]);
    const pages = this.#pages({ isEager: true, ...(select !== undefined && { select }) });
    for await (const { rows } of pages) count += rows.length;
    return count;
  }

  /**
   * Deletes what the query finds, page by page in transactions, each row under the version that was read. Rows that
   * somebody changes in between are read again, and kept when they no longer match. Entities that the context tracks
   * are not touched, but marked stale.
   *
   * @throws ScanRefused; SaveError when rows could not be deleted, after the others were
   */
  deleteAll(options: BulkOptions = {}): Promise<BulkProgress> {
    return this.#writeAll("delete", options);
  }

  /**
   * Changes what the query finds, page by page in transactions: `change` is called with each entity, and what it
   * changed is saved. It is called again for a row that somebody else changed in between.
   *
   * @throws as `deleteAll` does
   */
  updateAll(
    change: (entity: Entity) => void | Promise<void>,
    options: BulkOptions = {},
  ): Promise<BulkProgress> {
    if (typeof change !== "function")
      throw new QueryError(
        "query.change",
        "updateAll(change) takes a function that changes the entity it is given.",
      );
    return this.#writeAll(change as BulkChange, options);
  }

  /**
   * One page of at most `size` entities, full unless the query ends.
   *
   * @param options - `after`: the `next` of the page before, of the same query
   * @throws QueryError `query.foreign-token` for a token of another query or an altered one
   */
  async page(options: PageOptions): Promise<QueryPage<Result>> {
    const { size, after } = options ?? {};
    checkOptions("page(options)", options ?? {}, ["size", "after"]);
    if (this.#state.inclusion !== undefined)
      throw notWithInclude("page() and pages() end at rows, not at families");
    if (!Number.isInteger(size) || size < 1)
      throw new QueryError("query.page-size", "page({ size }) takes a whole number of entities, 1 or more.");
    const plan = this.#checkedPlan();
    const { conditions, raw, take } = this.#state;
    return readPage(this.#source.storage, { plan, conditions, raw, take }, this.#runOptions(), {
      size,
      after: after === null || after === "" ? undefined : after,
      build: async (page) => this.#entitiesOf(await this.#upgraded(page)),
    });
  }

  /**
   * Every page of `size` entities, one after the other, each with the token that goes on behind it.
   *
   * @throws as `page` does
   */
  async *pages(options: PageOptions): AsyncGenerator<QueryPage<Result>> {
    let { after } = options ?? {};
    do {
      const page: QueryPage<Result> = await this.page({ ...options, after });
      if (page.entities.length > 0) yield page;
      after = page.next;
    } while (after !== undefined);
  }

  #writeAll(change: BulkChange, options: BulkOptions): Promise<BulkProgress> {
    checkOptions(change === "delete" ? "deleteAll(options)" : "updateAll(change, options)", options, [
      "onProgress",
      "signal",
    ]);
    const { projection: _whole, inclusion: _children, ...state } = this.#state;
    const query = new Query<Entity>(this.#source, {
      ...state,
      ...(options.signal !== undefined && { signal: options.signal }),
    });
    const matches = (row: StoredEntity): boolean => query.#matches(row);
    return this.#source.bulk().run(query.#rows(), matches, change, options);
  }

  async *#rows(): AsyncGenerator<readonly StoredEntity[]> {
    for await (const { rows } of this.#pages()) yield rows;
  }

  #with(change: Partial<QueryState>): Query<Entity, Result> {
    return new Query(this.#source, { ...this.#state, ...change });
  }

  #name(): string {
    return this.#source.chooser.models.map((model) => model.name).join(" | ");
  }

  #plan(): QueryPlan {
    if (this.#planned !== undefined) return this.#planned;
    const { chooser } = this.#source;
    const { conditions, raw, inclusion } = this.#state;
    const kinds = chooser.models.map((model) => ({
      model,
      predicate: conditions.for(model),
      isPartial:
        [model, ...chooser.kinds].some((each) => this.#skipsFailed(each)) ||
        (model.kind === undefined && conditions.list.some(({ kind }) => kind !== undefined)),
    }));
    this.#planned =
      inclusion === undefined
        ? planQuery(chooser, kinds, raw)
        : planFamilies(familyChooser(inclusion), kinds[0] as PlannedKind, inclusion.child);
    return this.#planned;
  }

  #checkedPlan(): QueryPlan {
    const plan = this.#plan();
    if (plan.type === "table scan" && !this.#state.mayScan)
      throw new ScanRefused(this.#name(), plan.table, plan.missing);
    return plan;
  }

  #pages(
    options: { readonly isEager?: boolean; readonly select?: readonly string[] } = {},
  ): AsyncGenerator<ReadPage> {
    const run = { ...this.#runOptions(), ...options };
    return runPlan(this.#source.storage, this.#checkedPlan(), this.#state.take, run);
  }

  #withoutChildren(): Query<Entity> {
    const { inclusion: _children, ...state } = this.#state;
    return new Query<Entity>(this.#source, state);
  }

  async *#results(options: { readonly isEager?: boolean } = {}): AsyncGenerator<Iterable<Result>> {
    const { inclusion } = this.#state;
    const isAsRead = this.#source.upgradeNow === undefined;
    if (inclusion === undefined)
      for await (const page of this.#pages(options))
        yield this.#entitiesOf(isAsRead ? page : await this.#upgraded(page));
    else
      yield* readFamilies<Result>(
        inclusion,
        this.#checkedPlan(),
        this.#source,
        this.#state,
        options.isEager === true,
      );
  }

  async #upgraded(page: ReadPage): Promise<ReadPage> {
    const { rows, readAt } = page;
    const { merge, signal, projection } = this.#state;
    const { upgradeNow } = this.#source;
    // Of a part, no row can be made.
    if (upgradeNow === undefined || projection !== undefined) return page;
    const now = await upgradeNow(rows, merge, signal);
    // One that was read again may not be of the query any more.
    return {
      rows: now === rows ? rows : now.filter((row) => rows.includes(row) || this.#matches(row)),
      readAt,
    };
  }

  *#entitiesOf({ rows, readAt }: ReadPage): Generator<Result> {
    const { chooser, materialize } = this.#source;
    const { merge, projection } = this.#state;
    for (const row of rows) {
      const model = chooser.choose(row) as EntityModel;
      // Only a table that was declared clean is asked for parts of rows.
      if (projection !== undefined && !mayBeOlder(model)) checkClean(model, row);
      const entity = materialize(model, row, merge, readAt, projection?.loadedOf(model));
      if (entity !== undefined) yield entity as Result;
    }
  }

  /** Whether a row, read by its key, is of the query. */
  #matches(row: StoredEntity): boolean {
    const model = this.#source.chooser.choose(row);
    return model !== undefined && this.#holds(model, row);
  }

  /** Whether rows of a class may be left out because they cannot be upgraded. */
  #skipsFailed(model: EntityModel | undefined): boolean {
    return this.#source.failedUpgrades === "skip" && model?.version?.chain !== undefined;
  }

  /** Whether a row satisfies the query; one that cannot be upgraded to be asked, as the context wants it. */
  #holds(model: EntityModel, row: StoredEntity): boolean {
    const { conditions, raw } = this.#state;
    try {
      if (this.#skipsFailed(model)) currentRow(model, row);
      return matches(model, conditions, raw, row);
    } catch (error) {
      const { failedUpgrades } = this.#source;
      if (!(error instanceof UpgradeError) || failedUpgrades === "stop") throw error;
      return failedUpgrades === "raw";
    }
  }

  /** What to ask a store for: these properties, and what rows are checked for. Upgrades need whole rows: undefined. */
  #storedNames(names: Iterable<string>): readonly string[] | undefined {
    const { conditions, raw } = this.#state;
    const { models, kinds } = this.#source.chooser;
    const all = [...models, ...kinds];
    // Upgrades, and kinds that are told by the row, look at all of it.
    const needsAll = all.some((model) => mayBeOlder(model) || model.kind?.isOfKind !== undefined);
    return needsAll ? undefined : storedNamesOf(all, names, conditions, namesIn(raw));
  }

  #runOptions(): RunOptions {
    const { signal, retry, projection } = this.#state;
    const { chooser, now } = this.#source;
    const select = projection && this.#storedNames(projection.names);
    return {
      now,
      ...(select !== undefined && { select }),
      // The row's own class reads its keys; a base class may not know all of their parts.
      check: (stored, request) => {
        const model = chooser.choose(stored);
        const isDecided = !request.needsCheck && request.type !== "point" && !this.#skipsFailed(model);
        return model !== undefined && (isDecided || this.#holds(model, stored));
      },
      ...(signal !== undefined && { signal }),
      ...(retry !== undefined && { retry }),
    };
  }
}

function notSingle(entity: string, isSeveral: boolean): QueryError {
  return isSeveral
    ? new QueryError(
        "query.several-found",
        `single() found more than one ${entity}. Narrow the query by its whole key, or use first() or toArray().`,
        { entity },
      )
    : new QueryError(
        "query.none-found",
        `single() found no ${entity}. Use first() where there may be none: it gives undefined.`,
        { entity },
      );
}

function notWithInclude(why: string): QueryError {
  return new QueryError("query.include", `${why}: ask for the children apart, by query([Parent, Child]).`);
}

/** The predicates that a condition on these classes' common properties says. */
function nodesOf<Entity>(
  condition: ((columns: Columns<Entity>) => PredicateResult) | EqualTo<Entity>,
  models: readonly EntityModel[],
  name: string,
): readonly PredicateNode[] {
  if (typeof condition === "object" && condition !== null) return equalities(name, models, condition);
  if (typeof condition !== "function") throw notAPredicate(condition, "where()");
  const scope = new Set<BuiltPredicate>();
  const columns = columnsOf(name, models, scope) as Columns<Entity>;
  return [predicateOf(condition(columns), scope)];
}
