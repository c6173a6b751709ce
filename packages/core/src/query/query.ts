import type { StoredEntity } from "../edm/stored-entity.ts";
import { QueryError, ScanRefused } from "../errors/query-error.ts";
import { checkChoice } from "../errors/unknown-option.ts";
import type { KindChooser } from "../materialize/choose-kind.ts";
import { type EntityModel, findProperty, propertyNames } from "../model/entity-model.ts";
import type { TableStorage } from "../storage/table-storage.ts";
import { checkOperands } from "./check-operands.ts";
import { type Columns, columnsOf, equalities, type EqualTo } from "./columns.ts";
import { evaluatePredicate } from "./evaluate-predicate.ts";
import { type Explanation, explainPlan } from "./explain.ts";
import { type PageToken, parsePageToken, printPageToken, type TokenQuery } from "./page-token.ts";
import { planQuery } from "./plan-query.ts";
import { normalize, type NormalNode, type PredicateNode } from "./predicate-node.ts";
import { type BuiltPredicate, notAPredicate, predicateOf, type PredicateResult } from "./predicate.ts";
import type { QueryPlan } from "./query-plan.ts";
import { type PlanPage, type PlanPosition, readPlanPage, type RunOptions, runPlan } from "./run-plan.ts";

/**
 * How rows meet entities the context already tracks. `appendOnly` (default): a tracked entity stays as it is, new ones
 * are tracked. `noTracking`: every row becomes an instance of its own that the context does not know.
 */
export type MergeOption = "appendOnly" | "noTracking";

/** Every merge option there is. */
export const mergeOptions: readonly MergeOption[] = ["appendOnly", "noTracking"];

/** What a query needs of its context. */
export interface QuerySource {
  readonly storage: TableStorage;
  readonly chooser: KindChooser;
  /** Builds or finds the entity of a row. */
  readonly materialize: (model: EntityModel, stored: StoredEntity, merge: MergeOption) => object;
}

/** One page of a query, for lists that people leaf through. */
export interface QueryPage<Entity> {
  readonly entities: readonly Entity[];
  /** Where the next page begins; absent at the end. */
  readonly next?: PageToken;
}

interface QueryState {
  readonly predicates: readonly PredicateNode[];
  readonly take?: number;
  readonly merge: MergeOption;
  readonly mayScan: boolean;
  readonly signal?: AbortSignal;
}

/**
 * A question over one table: immutable, so that each method gives another query. Nothing is sent until it is
 * enumerated. Entities come in key order, each once; one that was removed and not yet saved still comes.
 */
export class Query<Entity extends object> implements AsyncIterable<Entity> {
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
   * for equality. Several conditions, and several calls, must all hold.
   *
   * @throws QueryError for anything but a predicate, a dropped condition, an unknown property or an undefined value
   */
  where(condition: ((columns: Columns<Entity>) => PredicateResult) | EqualTo<Entity>): Query<Entity> {
    if (typeof condition !== "function" && (typeof condition !== "object" || condition === null))
      throw notAPredicate(condition, "where()");
    const nodes = typeof condition === "function" ? [this.#build(condition)] : this.#equalTo(condition);
    return this.#with({ predicates: [...this.#state.predicates, ...nodes] });
  }

  /** At most this many entities, over all pages. */
  take(count: number): Query<Entity> {
    if (!Number.isInteger(count) || count < 0)
      throw new QueryError("query.take", "take() takes a whole number of entities, 0 or more.");
    return this.#with({ take: Math.min(count, this.#state.take ?? count) });
  }

  /** How rows meet entities that are already tracked. */
  merge(option: MergeOption): Query<Entity> {
    checkChoice("merge(option)", option, mergeOptions);
    return this.#with({ merge: option });
  }

  /** Allows reading the whole table where the predicate names no partition. */
  scan(): Query<Entity> {
    return this.#with({ mayScan: true });
  }

  /** Cancels the query's requests when the signal does. */
  signal(signal: AbortSignal): Query<Entity> {
    return this.#with({ signal });
  }

  /** What the query will do, without doing it. */
  explain(): Explanation {
    return explainPlan(this.#plan());
  }

  /** Streams the entities, one page ahead; stops reading when the loop is left. @throws ScanRefused */
  async *[Symbol.asyncIterator](): AsyncGenerator<Entity> {
    for await (const rows of this.#pages()) for (const row of rows) yield this.#entityOf(row);
  }

  /** All entities. @throws ScanRefused */
  async toArray(): Promise<Entity[]> {
    const entities: Entity[] = [];
    for await (const rows of this.#pages()) for (const row of rows) entities.push(this.#entityOf(row));
    return entities;
  }

  /** The first entity in key order; undefined when there is none. @throws ScanRefused */
  async first(): Promise<Entity | undefined> {
    const [entity] = await this.take(1).toArray();
    return entity;
  }

  /** How many entities there are: reads them all, and tracks none. @throws ScanRefused */
  async count(): Promise<number> {
    let count = 0;
    for await (const rows of this.#pages()) count += rows.length;
    return count;
  }

  /**
   * One page of at most `size` entities, full unless the query ends.
   *
   * @param options - `after`: the `next` of the page before, of the same query
   * @throws QueryError `query.foreign-token` for a token of another query or an altered one
   */
  async page(options: { readonly size: number; readonly after?: string }): Promise<QueryPage<Entity>> {
    const { size, after } = options ?? {};
    if (!Number.isInteger(size) || size < 1)
      throw new QueryError("query.page-size", "page({ size }) takes a whole number of entities, 1 or more.");
    const plan = this.#checkedPlan();
    const start =
      after === undefined
        ? { position: { request: 0 }, left: this.#state.take }
        : parsePageToken(this.#tokenQuery(plan), after);
    const most = Math.min(size, start.left ?? size);
    const rows: StoredEntity[] = [];
    let next: PlanPosition | undefined = most === 0 ? undefined : start.position;
    while (next !== undefined && rows.length < most) {
      // Never more rows than are still wanted, so that the token stands right behind the last one handed over.
      const page: PlanPage = await readPlanPage(
        this.#source.storage,
        plan,
        next,
        most - rows.length,
        this.#runOptions(),
      );
      rows.push(...page.rows);
      next = page.next;
    }
    const entities = rows.map((row) => this.#entityOf(row));
    const left = start.left === undefined ? undefined : start.left - rows.length;
    return next === undefined || left === 0
      ? { entities }
      : { entities, next: printPageToken(this.#tokenQuery(plan), { position: next, left }) };
  }

  #with(change: Partial<QueryState>): Query<Entity> {
    return new Query(this.#source, { ...this.#state, ...change });
  }

  #build(condition: (columns: Columns<Entity>) => PredicateResult): PredicateNode {
    const scope = new Set<BuiltPredicate>();
    const { models } = this.#source.chooser;
    const columns = columnsOf(this.#name(), commonNames(models), scope) as Columns<Entity>;
    return predicateOf(condition(columns), scope);
  }

  #equalTo(values: object): PredicateNode[] {
    return equalities(this.#name(), commonNames(this.#source.chooser.models), values);
  }

  #name(): string {
    return this.#source.chooser.models.map((model) => model.name).join(" | ");
  }

  #plan(): QueryPlan {
    if (this.#planned !== undefined) return this.#planned;
    const { chooser } = this.#source;
    const kinds = chooser.models.map((model) => ({
      model,
      predicate: predicateFor(model, this.#state.predicates),
    }));
    return (this.#planned = planQuery(chooser, kinds));
  }

  #checkedPlan(): QueryPlan {
    const plan = this.#plan();
    if (plan.type === "table scan" && !this.#state.mayScan)
      throw new ScanRefused(this.#name(), plan.table, plan.missing);
    return plan;
  }

  #pages(): AsyncGenerator<readonly StoredEntity[]> {
    return runPlan(this.#source.storage, this.#checkedPlan(), this.#state.take, this.#runOptions());
  }

  #entityOf(row: StoredEntity): Entity {
    const { chooser, materialize } = this.#source;
    return materialize(chooser.choose(row) as EntityModel, row, this.#state.merge) as Entity;
  }

  #tokenQuery(plan: QueryPlan): TokenQuery {
    return { plan, predicates: this.#state.predicates, take: this.#state.take };
  }

  #runOptions(): RunOptions {
    const { signal, predicates } = this.#state;
    const { chooser } = this.#source;
    return {
      // The row's own class reads its keys; a base class may not know all of their parts.
      check: (stored, request) => {
        const model = chooser.choose(stored);
        const isDecided = !request.needsCheck && request.type !== "point";
        return model !== undefined && (isDecided || matches(model, predicates, stored));
      },
      ...(signal !== undefined && { signal }),
    };
  }
}

const normalized = new WeakMap<readonly PredicateNode[], Map<EntityModel, NormalNode | undefined>>();

/** All predicates of a query in a model's terms; computed once per query and kind. */
function predicateFor(model: EntityModel, predicates: readonly PredicateNode[]): NormalNode | undefined {
  const byModel = normalized.get(predicates) ?? new Map<EntityModel, NormalNode | undefined>();
  normalized.set(predicates, byModel);
  if (!byModel.has(model)) {
    const isKeyPart = (name: string): boolean => {
      const property = findProperty(model, name);
      return property !== undefined && "key" in property;
    };
    const node =
      predicates.length === 0 ? undefined : normalize({ type: "and", nodes: predicates }, isKeyPart);
    if (node !== undefined) checkOperands(model, node);
    byModel.set(model, node);
  }
  return byModel.get(model);
}

function matches(model: EntityModel, predicates: readonly PredicateNode[], stored: StoredEntity): boolean {
  const predicate = predicateFor(model, predicates);
  return predicate === undefined || evaluatePredicate(model, predicate, stored);
}

/** The properties that every class of a query declares. */
function commonNames(models: readonly EntityModel[]): readonly string[] {
  const [first, ...others] = models.map(propertyNames);
  return (first ?? []).filter((name) => others.every((names) => names.includes(name)));
}
