import { brand, hasBrand, inherits } from "../values/errors/brand.ts";
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
import type { EntityModel } from "../model/declaration/entity-model.ts";
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
import type { NotAPredicate, PredicateResult } from "./build/predicate.ts";
import { nodesOf } from "./build/condition-nodes.ts";
import type { Explanation } from "./plan/explain.ts";
import { RawFilter } from "./build/odata.ts";
import {
  checkIncludeOptions,
  type ChooseList,
  type IncludeOptions,
  type ListsIn,
  type Relations,
  type WithChildren,
} from "./options/include-options.ts";
import { checkPageOptions, type PageOptions, type Page, readPages } from "./options/page-options.ts";
import { checkReadOptions, type ReadOptions } from "./options/read-options.ts";
import { refuseAsArray } from "./not-an-array.ts";
import { nameOf, PlannedQuery } from "./planned-query.ts";
import { QueryRun, read } from "./run/query-run.ts";
import type { QuerySource, QueryState } from "./query-state.ts";
import { type Projected, Projection } from "./build/projection.ts";
import { type InMemoryFilter, notAFunction } from "./build/in-memory-filter.ts";
import { type Sortable, sortOf } from "./build/sort.ts";
import { checkOperators } from "./build/check-operators.ts";
import {
  checkListsIncluded,
  notAChange,
  notACount,
  notOneCondition,
  notAFilter,
  notAList,
  notOfQuery,
  notSingle,
  notWithInclude,
} from "./query-errors.ts";

const aMergeOption = oneOf(...mergeOptions);
const aPolicy = oneOf(...unreadableRowPolicies);

/** The default when a call names no options; it needs no checks. */
const noOptions: ReadOptions = {};

/**
 * A query on one table. A query is immutable: each chained method returns another query. No request is sent until you
 * call a method that reads, or iterate over the query. Entities come in key order unless you call `inRowKeyOrder()`.
 * Each entity is returned once, including entities that were removed but not yet saved.
 *
 * Methods that read take `signal` and `retry` as options.
 *
 * ```ts
 * const good = context.query(Blog).where((b) => b.channel.eq(channel).and(b.rating.ge(2)));
 * for await (const blog of good) console.log(blog.text);
 * ```
 */
export class Query<Entity extends object, Result = Entity> implements AsyncIterable<Result> {
  static {
    brand(this, "Query");
    refuseAsArray(this.prototype);
  }

  /** @internal Whether a value is a query, from any copy of this package. */
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
   * Narrows the query by a condition, or by values that properties must equal: `where({ channel: "Channel9" })`. If you
   * pass several conditions, or call it several times, all of them must hold. Join conditions with methods: write
   * `a.or(b)`, since JavaScript's `a || b` would drop `b`.
   *
   * ```ts
   * const { length } = await context
   *   .query(Blog)
   *   .where((b) => b.channel.eq(channel).and(b.rating.ge(2)))
   *   .toArray();
   * console.log(length); // → 2
   * ```
   *
   * @throws QueryError `query.condition-operator` for JavaScript's operators on conditions and columns; other codes for
   *   anything but a predicate, a dropped condition, an unknown property or an undefined value; StateError `context.scope` for
   *   a value of another scope
   */
  where(
    condition: ((columns: Columns<Entity>) => PredicateResult | NotAPredicate) | EqualTo<Entity>,
  ): Query<Entity, Result>;
  where(
    condition: ((columns: Columns<Entity>) => PredicateResult | NotAPredicate) | EqualTo<Entity>,
    ...others: unknown[]
  ): Query<Entity, Result> {
    if (others.length > 0) throw notOneCondition();
    if (typeof condition === "function") checkOperators(condition, this, "where");
    const nodes = nodesOf<Entity>(condition, this.#source.chooser.models, nameOf(this.#source));
    this.#source.scope?.check(nodes);
    return this.#with({ conditions: this.#state.conditions.and(nodes) });
  }

  /**
   * In a query for several kinds, narrows the entities of one kind and of the kinds below it. Entities of other kinds are
   * not filtered. Write conditions as in `where`, with the properties of that kind.
   *
   * ```ts
   * const rows = context.query([Order, Line]).where({ tenant: "acme", id: "7" });
   * console.log(await rows.whereKind(Line, { sku: "A" }).count()); // → 2
   * ```
   *
   * @throws QueryError `query.not-of-query` for a class that is not part of the query; as `where` does
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
    this.#source.scope?.check(nodes);
    return this.#with({ conditions: this.#state.conditions.and(nodes, kind) });
  }

  /**
   * Loads the children of each entity too. Call it again for another list. Parents and children are read as one key
   * range and joined by key; conditions, `select`, `take` and pages apply to the parents. Children without a stored
   * parent are left out, with a process warning, unless you set `onOrphan`.
   *
   * ```ts
   * const [first] = await context
   *   .query(Order)
   *   .where({ tenant: "acme" })
   *   .include((each) => each.lines)
   *   .toArray();
   * console.log(first?.lines.map(({ sku }) => sku)); // → [ 'A', 'B' ]
   * ```
   *
   * @param options - `select`: the properties of the children that are read; all of them when absent
   * @throws ModelError `model.children`; QueryError `query.include` for several classes, over an index, or for lists of
   *   one class; `query.orphan` while reading
   */
  include<Name extends ChildrenOf<Entity> & string>(
    choose: ChooseList<Entity, Name>,
    options: IncludeOptions = {},
  ): Query<Entity, WithChildren<Result, Entity, Name>> {
    checkIncludeOptions(options);
    if (typeof choose !== "function") throw notAList(choose);
    const [parent, ...below] = this.#source.chooser.models;
    const { inclusion: earlier, path } = this.#state;
    const isBelow = ({ entityClass }: EntityModel): boolean =>
      parent !== undefined && inherits(entityClass.prototype, parent.entityClass);
    if (parent === undefined || !below.every(isBelow) || path !== undefined)
      throw notWithInclude("include() loads the children of one class, and not over an index");
    const relations = new Proxy({}, { get: (_target, relation) => ({ relation }) }) as Relations<Entity>;
    const { relation: property } = choose(relations);
    const child = childModelOf(parent, property);
    const { onOrphan, select } = options;
    const others = (earlier?.lists ?? []).filter((list) => list.property !== property);
    if (others.some((list) => list.child === child))
      throw notWithInclude(`${property} has children of the same class as another included list`);
    const projection = select && new Projection([child], child.name, select);
    const inclusion = { parent, lists: [...others, { property, child, onOrphan, projection }] };
    return this.#with({ inclusion }) as unknown as Query<Entity, WithChildren<Result, Entity, Name>>;
  }

  /**
   * Adds a filter in OData syntax, for conditions that `where` cannot express, such as properties that no class
   * declares. The filter uses stored names. It never turns a scan into a key range.
   *
   * ```ts
   * const found = context.query(Blog).where({ channel }).filter(odata`Timestamp ge ${new Date(2020, 0)}`);
   * console.log(await found.count()); // → 3
   * ```
   *
   * @param filter - made by the tag `odata`
   * @throws QueryError `query.not-a-filter` for anything else
   */
  filter(filter: RawFilter): Query<Entity, Result> {
    checkCopy(filter, "The filter");
    if (!RawFilter.is(filter)) throw notAFilter(filter);
    return this.#with({
      raw: allOf([...(this.#state.raw === undefined ? [] : [this.#state.raw]), filter.node]) as FilterNode,
    });
  }

  /**
   * Limits the query to this many entities, over all pages.
   *
   * ```ts
   * const newest = await context.query(Blog).where({ channel }).take(2).toArray();
   * console.log(newest.map(({ text }) => text)); // → [ 'Third', 'Second' ]
   * ```
   */
  take(count: number): Query<Entity, Result> {
    if (!Number.isInteger(count) || count < 0) throw notACount();
    return this.#with({ take: Math.min(count, this.#state.take ?? count) });
  }

  /**
   * Sorts the entities on the client, by the stored values of a property; `take` applies after sorting. Entities
   * without a value, or with NaN, come last in both directions. Entities with equal values come in key order. Text
   * compares by UTF-16 code units, decimals and dates by value. The query reads all of its results, and holds as many
   * entities in memory as you `take`, or up to 10,000.
   *
   * ```ts
   * class Score extends defineEntity({
   *   table: "Scores",
   *   partitionKey: { game: text() },
   *   rowKey: { player: text() },
   *   properties: { points: int32() },
   * }) {}
   * await createTables(storage, [Score]);
   * context.create(Score, { game: "chess", player: "ann", points: 30 });
   * context.create(Score, { game: "chess", player: "bob", points: 20 });
   * context.create(Score, { game: "chess", player: "cem", points: 40 });
   * await context.saveChanges();
   * const best = context.query(Score).where({ game: "chess" }).sortBy("points", "desc").take(2);
   * console.log((await best.toArray()).map(({ player }) => player)); // → [ 'cem', 'ann' ]
   * ```
   *
   * @throws QueryError `query.sort` for a property that has no order, a second call, and with `inRowKeyOrder`, `page`,
   *   `pages`, `updateAll` or `removeAll`; `query.sort-too-many`, when it is read, for more than 10,000 entities
   *   without `take`
   */
  sortBy(property: Sortable<Entity>, direction: "asc" | "desc" = "asc"): Query<Entity, Result> {
    const name = nameOf(this.#source);
    return this.#with({
      sort: sortOf(this.#source.chooser.models, name, property, direction, this.#state.sort),
    });
  }

  /**
   * Narrows the query by a function that runs on the client, after all other conditions and before `take`. The function
   * gets an untracked instance made from the stored row, with the included children. Entities that it filters out are
   * read but never tracked. `explain()` names the function.
   *
   * ```ts
   * const isOdd = ({ postedOn }: Blog): boolean => postedOn.getUTCDate() % 2 === 1;
   * const odd = context.query(Blog).where({ channel }).filterInMemory(isOdd);
   * console.log(await odd.count()); // → 2
   * console.log(odd.explain().requests[0]?.client); // → filterInMemory(isOdd)
   * ```
   *
   * @throws QueryError `query.filter-in-memory` for a value that is not a function, and if it returns a promise;
   *   `query.filter-of-part` if it reads a property that `select` leaves out; `query.include`
   */
  filterInMemory(filter: (entity: Exclude<Result, UnreadableRow>) => boolean): Query<Entity, Result> {
    if (typeof filter !== "function") throw notAFunction(nameOf(this.#source));
    return this.#with({ filters: [...(this.#state.filters ?? []), filter as InMemoryFilter] });
  }

  /**
   * Returns entities in RowKey order; entities with the same RowKey come in the order of their PartitionKeys. If the
   * keys list several partitions, such as buckets, slices or `in`, Partita merges them. With `take`, one short page of
   * each partition is read, 16 at a time. If RowKeys are sorted by the time of the slices, slices are read one after
   * another, as needed.
   *
   * ```ts
   * const merged = context.query(Blog).where((b) => b.channel.in([channel, "Channel10"]));
   * const newest = await merged.inRowKeyOrder().take(10).toArray();
   * ```
   *
   * @throws QueryError, when it is read, `query.order-unbounded`, `query.order-too-many` or `query.order-of-index`
   */
  inRowKeyOrder(): Query<Entity, Result> {
    return this.#with({ isByRowKey: true });
  }

  /**
   * Returns entities in reverse key order: `reverse().take(10)` returns the last ten. The embedded store reads only the
   * rows that it returns. A service only reads forwards: Partita reads the complete result there and holds the last
   * entities in memory. `explain()` shows this as `readsToEnd`, and the query needs `take` or `page`.
   *
   * ```ts
   * const [oldest] = await context.query(Blog).where({ channel }).reverse().take(1).toArray();
   * console.log(oldest?.text); // → First
   * ```
   *
   * @throws QueryError, when it is read, `query.reverse-unbounded`; `query.reverse` with `include`, a merge, or `via` over a service;
   *   `query.order-not-promised` over Cosmos DB
   */
  reverse(): Query<Entity, Result> {
    return this.#with({ isReversed: this.#state.isReversed !== true });
  }

  /**
   * Sets how the query handles rows that cannot be read as entities: an unknown value of an enum, another EDM type, a
   * missing value, an upgrade that fails. `error` (the default) stops with an error that names the row, `skip` leaves
   * such rows out, and `raw` yields an `UnreadableRow` instead of the entity. With `skip` and with `raw`, `include`,
   * `updateAll` and `removeAll` skip such rows. Call it after the conditions.
   *
   * ```ts
   * for (const found of await context.query(Blog).where({ channel }).unreadableRows("raw").toArray())
   *   if (found instanceof UnreadableRow) console.warn(found.error.message);
   *   else console.log(found.text);
   * ```
   *
   * @throws OptionError `query.option`
   */
  unreadableRows(policy: "raw"): Query<Entity, Result | UnreadableRow>;
  unreadableRows(policy: "error" | "skip"): Query<Entity, Exclude<Result, UnreadableRow>>;
  unreadableRows(policy: UnreadableRowPolicy): Query<Entity, never> {
    checkArgument("unreadableRows(policy)", policy, aPolicy, "query.option");
    return this.#with({ unreadableRows: policy }) as unknown as Query<Entity, never>;
  }

  /**
   * Sets how rows are merged with entities that are already tracked.
   *
   * ```ts
   * const own = context.query(Blog).where({ channel }).mergeOption("noTracking");
   * console.log((await own.toArray()).length); // → 3
   * ```
   *
   * @throws OptionError `query.option`
   */
  mergeOption(option: MergeOption): Query<Entity, Result> {
    checkArgument("mergeOption(option)", option, aMergeOption, "query.option");
    return this.#with({ mergeOption: option });
  }

  /**
   * Uses a secondary index for the query, and returns entities in its order; `"primary"` uses the class's own keys. An
   * index finds entities that have a value for each of its parts. Without `via`, an index is used only if conditions
   * fix all of its parts.
   *
   * ```ts
   * class Runner extends defineEntity({
   *   table: "Runners",
   *   partitionKey: { race: text() },
   *   rowKey: { bib: constant("BIB:", padded(5)) },
   *   properties: { age: int32() },
   *   indexes: { byAge: { rowKey: { age: constant("AGE:", padded(3)) } } },
   * }) {}
   * await createTables(storage, [Runner]);
   * for (const bib of [1, 2]) context.create(Runner, { race: "Oslo", bib, age: 50 - bib });
   * await context.saveChanges();
   * const byAge = await context.query(Runner).where({ race: "Oslo" }).via("byAge").toArray();
   * console.log(byAge.map(({ age }) => age)); // → [ 48, 49 ]
   * ```
   *
   * @throws QueryError `query.unknown-index`, `index.not-built` when the query is planned; `query.include`
   */
  via(index: IndexNamesOf<Entity> | "primary"): Query<Entity, Result> {
    if (this.#state.inclusion !== undefined) throw notWithInclude("via() does not load children");
    return this.#with({ path: index as string });
  }

  /**
   * If the query uses an index, reads each entity by its own key as well: one more request per entity, 16 at a time.
   *
   * ```ts
   * const current = context.query(Blog).where({ channel }).fresh();
   * ```
   */
  fresh(): Query<Entity, Result> {
    return this.#with({ isFresh: true });
  }

  /**
   * Reads only these properties and the keys. Entities are tracked as usual: the context knows which properties were
   * not loaded, and a save sends the properties that you assigned. With `noTracking`, each row becomes a plain object.
   *
   * ```ts
   * const names = await context.query(Blog).where({ channel }).select("text").toArray();
   * console.log(names.map(({ text }) => text)); // → [ 'Third', 'Second', 'First' ]
   * ```
   *
   * @throws QueryError `query.unknown-property`; `query.system-property` for ETag and Timestamp, which are always read;
   *   `query.select` for an array or any other argument that is not a name
   */
  select<const Names extends readonly Exclude<keyof Columns<Entity> & keyof Entity, SystemNamesOf<Entity>>[]>(
    ...names: Names
  ): Query<Entity, Projected<Entity, Names[number]> & ListsIn<Entity, Result>> {
    const projection = new Projection(
      this.#source.chooser.models,
      nameOf(this.#source),
      names as readonly string[],
    );
    return this.#with({ projection }) as unknown as Query<Entity, never>;
  }

  /**
   * Allows the query to read the complete table if its conditions name no partition.
   *
   * ```ts
   * const good = await context.query(Blog).where((b) => b.rating.ge(2)).scan().toArray();
   * console.log(good.length); // → 2
   * ```
   */
  scan(): Query<Entity, Result> {
    return this.#with({ mayScan: true });
  }

  /**
   * Describes the requests that the query will send, without sending them.
   *
   * ```ts
   * const { type, rating } = context.query(Blog).where({ channel }).explain();
   * console.log(type, rating); // → partition scan fair
   * ```
   */
  explain(): Explanation {
    return this.#plannedQuery.explain();
  }

  /**
   * Streams the entities and reads one page ahead; reading stops when you leave the loop.
   *
   * ```ts
   * for await (const blog of context.query(Blog).where({ channel })) console.log(blog.text);
   * ```
   *
   * @throws ScanRefused
   */
  [Symbol.asyncIterator](): AsyncGenerator<Result> {
    return new QueryRun(this.#plannedQuery).stream() as AsyncGenerator<Result>;
  }

  /**
   * Streams the entities like iterating over the query, but takes options.
   *
   * ```ts
   * const blogs = context.query(Blog).where({ channel });
   * for await (const blog of blogs.stream({ signal: AbortSignal.timeout(5000) })) console.log(blog.text);
   * ```
   *
   * @throws ScanRefused; OptionError
   */
  stream(options: ReadOptions = noOptions): AsyncGenerator<Result> {
    return new QueryRun(this.#withOptions("stream", options)).stream() as AsyncGenerator<Result>;
  }

  /**
   * Returns all entities.
   *
   * ```ts
   * const blogs = await context.query(Blog).where({ channel }).toArray();
   * console.log(blogs.length); // → 3
   * ```
   *
   * @throws ScanRefused; OptionError
   */
  async toArray(options: ReadOptions = noOptions): Promise<Result[]> {
    return (await read(this.#withOptions("toArray", options), (run) => run.toArray())) as Result[];
  }

  /**
   * Returns the first entity in the query's order; undefined if there is none.
   *
   * ```ts
   * const newest = await context.query(Blog).where({ channel }).first();
   * console.log(newest?.text); // → Third
   * ```
   *
   * @throws ScanRefused; OptionError
   */
  async first(options: ReadOptions = noOptions): Promise<Result | undefined> {
    const [entity] = await read(this.#withOptions("first", options).take(1), (run) => run.toArray());
    return entity as Result | undefined;
  }

  /**
   * Returns the only entity that matches.
   *
   * ```ts
   * const { text } = await context.query(Blog).where({ channel, postedOn }).single();
   * console.log(text); // → First
   * ```
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

  /**
   * Returns the last entities of the query, at most `count`, in the query's order. It costs as much as `reverse()`.
   * After `take`, it reads everything that `take` allows.
   *
   * ```ts
   * const oldest = await context.query(Blog).where({ channel }).last(2);
   * console.log(oldest.map(({ text }) => text)); // → [ 'Second', 'First' ]
   * ```
   *
   * @throws QueryError `query.take` for a value that is not a count, and as `reverse` does; ScanRefused; OptionError
   */
  async last(count: number, options: ReadOptions = noOptions): Promise<Result[]> {
    const reversed = this.reverse().take(count);
    if (this.#state.take === undefined) return (await reversed.toArray(options)).toReversed();
    const taken = await this.toArray(options);
    return taken.slice(Math.max(0, taken.length - count));
  }

  /**
   * Returns whether any entity matches. It reads one row and tracks nothing.
   *
   * ```ts
   * console.log(await context.query(Blog).where({ channel }).exists()); // → true
   * ```
   *
   * @throws ScanRefused; OptionError
   */
  async exists(options: ReadOptions = noOptions): Promise<boolean> {
    return (await read(this.#withOptions("exists", options).take(1), (run) => run.count())) > 0;
  }

  /** @internal Use `context.partitions(Class)`. */
  partitions(options: ReadOptions = noOptions): AsyncGenerator<string> {
    return new QueryRun(this.#withOptions("partitions", options).forPartitions()).partitions();
  }

  /**
   * Counts the entities and tracks none. The embedded store counts a key range without reading its rows; in other
   * cases, the keys of all rows are read.
   *
   * ```ts
   * console.log(await context.query(Blog).where({ channel }).count()); // → 3
   * ```
   *
   * @throws ScanRefused; OptionError
   */
  async count(options: ReadOptions = noOptions): Promise<number> {
    return read(this.#withOptions("count", options), (run) => run.count());
  }

  /**
   * Deletes the entities that the query finds, page by page in transactions, each under the ETag that was read. If
   * another program changes a row in between, Partita reads it again and does not delete it if it no longer matches.
   * Entities that the context tracks are not changed, but marked stale.
   *
   * The query only reads keys, ETags and the properties in its conditions. It reads complete rows for classes with
   * indexes, owned lists or upgrades, for `filterInMemory`, and if the context has a hook that sees entities. Otherwise
   * a row is deleted even if a value in it cannot be read; with `unreadableRows("skip")` it is not.
   *
   * ```ts
   * const { written } = await context.query(Blog).where({ channel, author: "Ann" }).removeAll();
   * console.log(written); // → 3
   * ```
   *
   * @throws ScanRefused; OptionError; StateError `entity.list-not-loaded` for an entity that owns a list; QueryError
   *   `query.owned-list` for a class that owns lists, unless the query includes the kinds of their members;
   *   `query.sort`; SaveError if rows could not be deleted, after the others were
   */
  removeAll(options: BulkOptions = {}): Promise<BulkProgress> {
    checkBulkOptions(options, "removeAll(options)");
    checkListsIncluded(this.#source.chooser);
    return this.#writeAll("remove", options);
  }

  /**
   * Changes the entities that the query finds, page by page in transactions: calls `change` with each entity and saves
   * the entity's changes. If another program changed a row in between, `change` is called again for that row.
   *
   * ```ts
   * const blogs = context.query(Blog).where({ channel });
   * const { written } = await blogs.updateAll((blog) => void (blog.rating += 1));
   * console.log(written); // → 3
   * ```
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
   * Returns one page of at most `size` entities; only the last page may have fewer.
   *
   * ```ts
   * const blogs = context.query(Blog).where({ channel });
   * const { entities, next } = await blogs.page({ size: 2 });
   * const rest = await blogs.page({ size: 2, after: next });
   * console.log(entities.length, rest.entities.length); // → 2 1
   * ```
   *
   * @param options - `after`: the `next` of the previous page, of the same query
   * @throws QueryError `query.foreign-token` for a token of another query or an altered one; OptionError
   */
  async page(options: PageOptions & { readonly size: number }): Promise<Page<Result>> {
    checkPageOptions(options);
    // A copy, since the caller may change the object later.
    const own = { ...options };
    return (await read(this.#plannedQuery.with(own), (run) => run.page(own))) as Page<Result>;
  }

  /**
   * Returns every page of `size` entities in turn, each with the token of the page after it.
   *
   * ```ts
   * const sizes: number[] = [];
   * for await (const { entities } of context.query(Blog).where({ channel }).pages({ size: 2 }))
   *   sizes.push(entities.length);
   * console.log(sizes); // → [ 2, 1 ]
   * ```
   *
   * @throws as `page` does
   */
  pages(options: PageOptions & { readonly size: number }): AsyncGenerator<Page<Result>> {
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
