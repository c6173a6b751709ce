import { brand, hasBrand } from "../values/errors/brand.ts";
import { checkCopy } from "../values/errors/second-copy.ts";
import {
  type UnreadableRow,
  type UnreadableRowPolicy,
  unreadableRowPolicies,
} from "../model/codec/unreadable-row.ts";
import { oneOf } from "../values/options/checks.ts";
import { checkArgument } from "../values/options/define-options.ts";
import { allOf, type FilterNode } from "../values/filter/filter-node.ts";
import { childModelOf } from "../model/declaration/child-model.ts";
import type { ChildrenOf } from "../model/declaration/children.ts";
import type { EntityClass } from "../model/declaration/entity-definition.ts";
import type { IndexNamesOf, SystemNamesOf } from "../model/declaration/entity-shape.ts";
import { modelOf } from "../model/declaration/model-registry.ts";
import { type MergeOption, mergeOptions } from "../model/declaration/merge-option.ts";
import {
  type BulkChange,
  type BulkOptions,
  type BulkProgress,
  checkBulkOptions,
} from "./options/bulk-options.ts";
import type { Columns, EqualTo } from "./build/columns.ts";
import { nodesOf } from "./build/condition-nodes.ts";
import type { Explanation } from "./plan/explain.ts";
import { RawFilter } from "./build/odata.ts";
import {
  checkIncludeOptions,
  type IncludeOptions,
  type Relations,
  type WithChildren,
} from "./options/include-options.ts";
import { checkPageOptions, type PageOptions, type Page, readPages } from "./options/page-options.ts";
import { checkReadOptions, type ReadOptions } from "./options/read-options.ts";
import { nameOf, PlannedQuery } from "./planned-query.ts";
import { QueryRun, read } from "./run/query-run.ts";
import type { QuerySource, QueryState } from "./query-state.ts";
import type { NotAPredicate, PredicateResult } from "./build/predicate.ts";
import { type Projected, Projection } from "./build/projection.ts";
import { checkOperators } from "./build/check-operators.ts";
import { notAChange, notACount, notAFilter, notOfQuery, notSingle, notWithInclude } from "./query-errors.ts";

const aMergeOption = oneOf(...mergeOptions);
const aPolicy = oneOf(...unreadableRowPolicies);

/** What a call has that names no options: nothing to check. */
const noOptions: ReadOptions = {};

/**
 * A question over one table. A query is immutable: each chained method returns another query. Nothing is sent until one of
 * the methods that read is called, or the query is enumerated. Entities come in key order unless `inRowKeyOrder()` is
 * called, each once; an entity that was removed and not yet saved still comes.
 *
 * Methods that read take `signal` and `retry` as options, in place of what the chained `signal()` and `retry()` say.
 */
export class Query<Entity extends object, Result = Entity> implements AsyncIterable<Result> {
  static {
    brand(this, "Query");
  }

  /** @internal Whether a value is a query, of any copy of this package. */
  static is(value: unknown): value is Query<object> {
    return hasBrand(value, this);
  }

  readonly #source: QuerySource;
  readonly #state: QueryState;
  #planned: PlannedQuery | undefined;

  /** @internal Use `context.query(Class)`. */
  constructor(source: QuerySource, state: QueryState) {
    this.#source = source;
    this.#state = state;
  }

  /**
   * Narrows the query: `where(b => b.channel.eq("Channel9").and(b.rating.ge(3)))`, or `where({ channel: "Channel9" })`
   * for equality. Several conditions, and several calls, must all hold. Conditions are joined by methods: `a.or(b)`, where
   * JavaScript's `a || b` would drop `b`.
   *
   * @throws QueryError `query.condition-operator` for JavaScript's operators on conditions and columns; for anything but a
   *   predicate, a dropped condition, an unknown property or an undefined value
   */
  where(
    condition: ((columns: Columns<Entity>) => PredicateResult | NotAPredicate) | EqualTo<Entity>,
  ): Query<Entity, Result> {
    if (typeof condition === "function") checkOperators(condition, this, "where");
    const nodes = nodesOf<Entity>(condition, this.#source.chooser.models, nameOf(this.#source));
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
    condition: ((columns: Columns<Kind>) => PredicateResult | NotAPredicate) | EqualTo<Kind>,
  ): Query<Entity, Result> {
    const model = modelOf(kind);
    const { models, kinds } = this.#source.chooser;
    if (!models.includes(model) && !kinds.includes(model)) throw notOfQuery(model.name, nameOf(this.#source));
    if (typeof condition === "function") checkOperators(condition, this, "whereKind");
    const nodes = nodesOf<Kind>(condition, [model], model.name);
    return this.#with({ conditions: this.#state.conditions.and(nodes, kind) });
  }

  /**
   * Loads the children of each entity too: `include(b => b.comments)`. Parents and children are read in one range and put
   * together by key; conditions are on the parents. Children without a stored parent are left out, with a
   * process warning, unless `onOrphan` says otherwise.
   *
   * @throws ModelError `model.children`; QueryError `query.include` beside `select`, `page` or another `include`;
   *   `query.orphan` while reading
   */
  include<Name extends ChildrenOf<Entity> & string>(
    choose: (relations: Relations<Entity>) => { readonly relation: Name },
    options: IncludeOptions = {},
  ): Query<Entity, WithChildren<Result, Entity, Name>> {
    checkIncludeOptions(options);
    const [parent, another] = this.#source.chooser.models;
    const { inclusion: other, path } = this.#state;
    if (parent === undefined || another !== undefined || (other ?? path) !== undefined)
      throw notWithInclude("include() takes the children of one class along, once, and not over an index");
    const relations = new Proxy({}, { get: (_target, relation) => ({ relation }) }) as Relations<Entity>;
    const { relation: property } = choose(relations);
    const inclusion = { property, parent, child: childModelOf(parent, property), onOrphan: options.onOrphan };
    return this.#with({ inclusion }) as unknown as Query<Entity, WithChildren<Result, Entity, Name>>;
  }

  /**
   * Adds a filter in OData text, for what `where` cannot express, such as properties that no class declares. It
   * names stored properties, and never makes a scan a range.
   *
   * @param filter - made by the tag `odata`
   * @throws QueryError `query.not-a-filter` for anything else
   */
  filter(filter: RawFilter): Query<Entity, Result> {
    checkCopy(filter, "The filter");
    if (!RawFilter.is(filter)) throw notAFilter();
    return this.#with({
      raw: allOf([...(this.#state.raw === undefined ? [] : [this.#state.raw]), filter.node]) as FilterNode,
    });
  }

  /** At most this many entities, over all pages. */
  take(count: number): Query<Entity, Result> {
    if (!Number.isInteger(count) || count < 0) throw notACount();
    return this.#with({ take: Math.min(count, this.#state.take ?? count) });
  }

  /**
   * Entities come in RowKey order, those of one RowKey by their PartitionKeys: partitions that keys list, such as buckets,
   * slices or `in`, are merged. With `take`, one short page of each is read, 16 at a time.
   * @throws QueryError, when it is read, `query.order-unbounded`, `query.order-too-many` or `query.order-of-index`
   */
  inRowKeyOrder(): Query<Entity, Result> {
    return this.#with({ isByRowKey: true });
  }

  /**
   * What happens to rows that cannot be read as entities: an unknown value of an enum, another EDM type, a missing value, an
   * upgrade that fails. `error` (the default) stops with an error that names the row, `skip` leaves them out, and `raw` yields
   * an `UnreadableRow` in place of the entity: `if (blog instanceof UnreadableRow) console.warn(blog.error.message)`.
   * `include`, `updateAll` and `removeAll` skip such rows under both. Write it after the conditions.
   *
   * @throws OptionError `query.option`
   */
  unreadableRows(policy: "raw"): Query<Entity, Result | UnreadableRow>;
  unreadableRows(policy: "error" | "skip"): Query<Entity, Exclude<Result, UnreadableRow>>;
  unreadableRows(policy: UnreadableRowPolicy): Query<Entity, never> {
    checkArgument("unreadableRows(policy)", policy, aPolicy, "query.option");
    return this.#with({ unreadableRows: policy }) as unknown as Query<Entity, never>;
  }

  /** How rows meet entities that are already tracked. @throws OptionError `query.option` */
  mergeOption(option: MergeOption): Query<Entity, Result> {
    checkArgument("mergeOption(option)", option, aMergeOption, "query.option");
    return this.#with({ mergeOption: option });
  }

  /**
   * Answers the query by a secondary index, in its order, or by the class's own keys: `"primary"`. An index finds entities
   * that have a value for each of its parts. Without `via`, it is used only where conditions fix all of its parts.
   *
   * @throws QueryError `query.unknown-index`, `index.not-built` when the query is planned; `query.include`
   */
  via(index: IndexNamesOf<Entity> | "primary"): Query<Entity, Result> {
    if (this.#state.inclusion !== undefined) throw notWithInclude("via() finds no children");
    return this.#with({ path: index as string });
  }

  /** Reads entities by their own keys where an index answers the query: one more request for each, 16 at once. */
  fresh(): Query<Entity, Result> {
    return this.#with({ isFresh: true });
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
    const projection = new Projection(
      this.#source.chooser.models,
      nameOf(this.#source),
      names as readonly string[],
    );
    return this.#with({ projection }) as unknown as Query<Entity, Projected<Entity, Names[number]>>;
  }

  /** Allows reading the whole table where the predicate names no partition. */
  scan(): Query<Entity, Result> {
    return this.#with({ mayScan: true });
  }

  /** Describes what the query will send, without sending it. */
  explain(): Explanation {
    return this.#plannedQuery.explain();
  }

  /** Streams the entities, one page ahead; reading stops when the loop is left. @throws ScanRefused */
  [Symbol.asyncIterator](): AsyncGenerator<Result> {
    return new QueryRun(this.#plannedQuery).stream() as AsyncGenerator<Result>;
  }

  /** Streams the entities as enumerating the query does, with options. @throws ScanRefused; OptionError */
  stream(options: ReadOptions = noOptions): AsyncGenerator<Result> {
    return new QueryRun(this.#withOptions("stream", options)).stream() as AsyncGenerator<Result>;
  }

  /** All entities. @throws ScanRefused; OptionError */
  async toArray(options: ReadOptions = noOptions): Promise<Result[]> {
    return (await read(this.#withOptions("toArray", options), (run) => run.toArray())) as Result[];
  }

  /** The first entity in the query's order; undefined when there is none. @throws ScanRefused; OptionError */
  async first(options: ReadOptions = noOptions): Promise<Result | undefined> {
    const [entity] = await read(this.#withOptions("first", options).take(1), (run) => run.toArray());
    return entity as Result | undefined;
  }

  /**
   * The only entity there is.
   *
   * @throws QueryError `query.none-found` or `query.several-found`; ScanRefused; OptionError
   */
  async single(options: ReadOptions = noOptions): Promise<Result> {
    const [entity, another] = await read(this.#withOptions("single", options).take(2), (run) =>
      run.toArray(),
    );
    if (entity === undefined || another !== undefined)
      throw notSingle(nameOf(this.#source), another !== undefined);
    return entity as Result;
  }

  /** How many entities there are: reads the keys of all, and tracks none. @throws ScanRefused; OptionError */
  async count(options: ReadOptions = noOptions): Promise<number> {
    return read(this.#withOptions("count", options), (run) => run.count());
  }

  /**
   * Removes what the query finds, page by page in transactions, each row under the version that was read. Rows that another
   * program changes in between are read again, and stay stored when they no longer match. Entities that the context tracks
   * are not touched, but marked stale.
   *
   * @throws ScanRefused; OptionError; SaveError when rows could not be removed, after the others were
   */
  removeAll(options: BulkOptions = {}): Promise<BulkProgress> {
    checkBulkOptions(options, "removeAll(options)");
    return this.#writeAll("remove", options);
  }

  /**
   * Changes what the query finds, page by page in transactions: `change` is called with each entity, and what it
   * changed is saved. It is called again for a row that another program changed in between.
   *
   * @throws as `removeAll` does
   */
  updateAll(
    change: (entity: Entity) => void | Promise<void>,
    options: BulkOptions = {},
  ): Promise<BulkProgress> {
    if (typeof change !== "function") throw notAChange();
    checkBulkOptions(options);
    return this.#writeAll(change as BulkChange, options);
  }

  /**
   * One page of at most `size` entities, full unless the query ends.
   *
   * @param options - `after`: the `next` of the page before, of the same query
   * @throws QueryError `query.foreign-token` for a token of another query or an altered one; OptionError
   */
  async page(options: PageOptions): Promise<Page<Result>> {
    checkPageOptions(options);
    if (this.#state.inclusion !== undefined)
      throw notWithInclude("page() and pages() end at rows, not at families");
    // As they are now, whatever becomes of the object.
    const own = { ...options };
    return (await read(this.#plannedQuery.with(own), (run) => run.page(own))) as Page<Result>;
  }

  /**
   * Every page of `size` entities, one after the other, each with the token that goes on behind it.
   *
   * @throws as `page` does
   */
  pages(options: PageOptions): AsyncGenerator<Page<Result>> {
    return readPages((one) => this.page(one), options, this.#source.chooser.table);
  }

  #writeAll(change: BulkChange, options: BulkOptions): Promise<BulkProgress> {
    const own = { ...options };
    return read(this.#plannedQuery.with(own), (run) => run.writeAll(change, own));
  }

  /** Made by the first method that needs it: chained calls make many queries that are never read. */
  get #plannedQuery(): PlannedQuery {
    return (this.#planned ??= new PlannedQuery(this.#source, this.#state));
  }

  #withOptions(method: string, options: ReadOptions): PlannedQuery {
    if (options === noOptions) return this.#plannedQuery;
    checkReadOptions(options, `${method}(options)`);
    return this.#plannedQuery.with(options);
  }

  #with(change: Partial<QueryState>): Query<Entity, Result> {
    return new Query(this.#source, { ...this.#state, ...change });
  }
}
