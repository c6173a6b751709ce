import { ScanRefused } from "../values/errors/query-error.ts";
import { primaryPath } from "../model/declaration/build-indexes.ts";
import type { KindChooser } from "../model/codec/choose-kind.ts";
import type { EntityModel } from "../model/declaration/entity-model.ts";
import { entitiesOnly } from "../model/codec/unreadable-row.ts";
import { choosePath, type PathQuery, planOverNamed } from "./plan/choose-path.ts";
import { type Explanation, explainPlan } from "./plan/explain.ts";
import { familyChooser } from "./plan/plan-include.ts";
import { planFamilies, planQuery } from "./plan/plan-query.ts";
import { planFormer } from "./plan/plan-former.ts";
import { type PlannedKind, type QueryPlan, worse } from "./plan/query-plan.ts";
import { shapeOf } from "./plan/query-shape.ts";
import { isShortMerge, maxMerged, requestsByPartition } from "./plan/row-key-order.ts";
import { sliceOrderOf } from "./plan/slice-order.ts";
import { indexesOf } from "../model/schema/indexes-of.ts";
import { notWithSort } from "./build/sort.ts";
import { propertiesOf } from "./plan/stored-names.ts";
import {
  notInOrder,
  notMergeable,
  notReversible,
  orderOfIndex,
  reversedUnbounded,
  tooManyToMerge,
  whileMoving,
} from "./query-errors.ts";
import type { QuerySource, QueryState } from "./query-state.ts";

/** A query of a context with its plan, which is made on first use. */
export class PlannedQuery {
  readonly source: QuerySource;
  readonly state: QueryState;
  #plan: QueryPlan | undefined;

  /** @param plan - of the same query, if it was made before */
  constructor(source: QuerySource, state: QueryState, plan?: QueryPlan) {
    this.source = source;
    this.state = state;
    this.#plan = plan;
  }

  /** The same query, with the request options of one call instead of the query's own. */
  with({ signal, retry }: Pick<QueryState, "signal" | "retry">): PlannedQuery {
    if (signal === undefined && retry === undefined) return this;
    const state = { ...this.state, ...(signal && { signal }), ...(retry && { retry }) };
    return new PlannedQuery(this.source, state, this.#plan);
  }

  /** The same query, limited to this many entities. */
  take(count: number): PlannedQuery {
    const take = Math.min(count, this.state.take ?? count);
    return new PlannedQuery(this.source, { ...this.state, take }, this.#plan);
  }

  /** The same query for its count: the order doesn't matter, and children only if functions see them. */
  forCount(): PlannedQuery {
    const { inclusion, isByRowKey, isReversed, sort, ...rest } = this.state;
    const seen = rest.filters === undefined ? undefined : inclusion;
    const isOrdered = isByRowKey === true || isReversed === true || sort !== undefined;
    if (seen === inclusion && !isOrdered) return this;
    // The plan without children is another one.
    const state = { ...rest, ...(seen && { inclusion: seen }) };
    return new PlannedQuery(seen === undefined ? this.#sourceAlone() : this.source, state);
  }

  /** The same query for the partitions that contain a result. */
  forPartitions(): PlannedQuery {
    const { inclusion: _alone, isByRowKey: _any, isReversed: _forwards, take: _all, ...state } = this.state;
    return new PlannedQuery(this.#sourceAlone(), { ...state, isRanged: true, mayScan: true });
  }

  /** The same query for rows that will be written: complete, read by their own keys, and without children. */
  forWrites(): PlannedQuery {
    const { projection: _whole, inclusion, ...rest } = this.state;
    const unreadableRows = entitiesOnly(rest.unreadableRows ?? this.source.unreadableRows);
    const state = { ...rest, unreadableRows };
    const plan = inclusion === undefined && this.#plan?.path === undefined ? this.#plan : undefined;
    return new PlannedQuery(this.#sourceAlone(), { ...state, isFresh: true }, plan);
  }

  /** A readable description of the requests of the plan. */
  explain(): Explanation {
    const { storage, scope } = this.source;
    const isOrdered = storage.isUnordered !== true;
    const { former, ...plan } = this.plan();
    const requests = [...plan.requests, ...(former?.plan.requests ?? [])];
    return explainPlan({ ...plan, requests }, isOrdered, this.shape(), this.state, scope?.properties);
  }

  /** The query without its values, as text. All queries of one declared pattern have the same text. */
  shape(): string {
    const { chooser } = this.source;
    const { conditions, raw, inclusion, path } = this.state;
    const classes = chooser.models.map(({ name }) => name);
    return shapeOf({
      classes,
      children: inclusion?.lists.map(({ property }) => property),
      path,
      conditions: conditions.list,
      raw,
    });
  }

  /** Reads from storage which of its indexes have been built; undefined if that is known. */
  askIndexStates(): Promise<void> | undefined {
    const { chooser, indexStates } = this.source;
    return hasIndexes(chooser) ? indexStates?.ask(indexesOf(chooser), this.state.signal) : undefined;
  }

  /** The requests that the query sends. @throws QueryError if it cannot be planned */
  plan(): QueryPlan {
    if (this.#plan !== undefined) return this.#plan;
    const forwards = this.#makePlan();
    const plan = this.state.isReversed === true ? this.#reversed(forwards) : forwards;
    // Until the states of indexes were read, a plan may use an index that is not built.
    if (!this.#isProvisional()) this.#plan = plan;
    return plan;
  }

  #reversed(plan: QueryPlan): QueryPlan {
    const reversed = this.source.storage.readsBackwards === true ? "backwards" : "held";
    return { ...plan, requests: plan.requests.toReversed(), reversed };
  }

  /** Functions filter rows that neither keys nor a filter of the service can distinguish. */
  get #chooser(): KindChooser {
    const { chooser } = this.source;
    return this.state.filters === undefined ? chooser : { ...chooser, maySkip: true };
  }

  #isProvisional(): boolean {
    const { chooser, indexStates } = this.source;
    if (indexStates === undefined || !hasIndexes(chooser)) return false;
    return indexesOf(chooser).some((each) => indexStates.stateOf(each) === "unread");
  }

  #makePlan(): QueryPlan {
    const chooser = this.#chooser;
    const { conditions, raw, inclusion, path, isByRowKey, isRanged = false } = this.state;
    const isPartial = (model: EntityModel): boolean =>
      model.kind === undefined && conditions.list.some(({ kind }) => kind !== undefined);
    if (inclusion !== undefined) {
      const { parent, lists } = inclusion;
      const families = { model: parent, predicate: conditions.for(parent), isPartial: isPartial(parent) };
      const children = lists.map(({ child }) => child);
      return inSlices([families], ([own = families]) =>
        planFamilies(familyChooser(inclusion), own, children, isByRowKey),
      );
    }
    const kindsOver: PathQuery["kindsOver"] = (rowsOf) =>
      chooser.models.map((model) => {
        const rows = rowsOf(model);
        return { model: rows, predicate: conditions.for(rows), isPartial: isPartial(model), isRanged };
      });
    if (path !== undefined && path !== primaryPath) return planOverNamed(this.#pathQuery(kindsOver), path);
    const plan = inSlices(
      kindsOver((model) => model),
      (kinds) => planQuery(chooser, kinds, raw, isByRowKey),
    );
    const former = this.isMoving ? planFormer(chooser, conditions, raw) : undefined;
    if (former !== undefined) {
      const missing = [...new Set([...plan.missing, ...former.plan.missing])];
      return { ...plan, type: worse(plan.type, former.plan.type), missing, former };
    }
    // A merge returns rows by the entities' own RowKeys.
    const mayImprove = plan.type !== "point" && plan.isMerged !== true && hasIndexes(chooser);
    return mayImprove ? choosePath(this.#pathQuery(kindsOver), plan) : plan;
  }

  #pathQuery(kindsOver: PathQuery["kindsOver"]): PathQuery {
    const { indexStates } = this.source;
    const { conditions, raw, path } = this.state;
    return {
      chooser: this.#chooser,
      conditions,
      raw,
      asked: path,
      needed: this.#needed(),
      isFresh: this.#mustBeFresh(),
      kindsOver,
      stateOf: (model, index) => indexStates?.stateOf({ model, index }) ?? index.state ?? "ready",
    };
  }

  /** The maximum number of rows that the query reads: all of them if they are sorted before `take` applies. */
  get rowsWanted(): number | undefined {
    return this.state.sort === undefined ? this.state.take : undefined;
  }

  /**
   * The plan of a query that is about to read.
   *
   * @param wanted - maximum number of rows that one call reads
   * @throws ScanRefused; QueryError if its order is not available; PatternError `pattern.unknown`
   */
  checkedPlan(wanted: number | undefined = this.rowsWanted): QueryPlan {
    const { checkShape } = this.source;
    // Made only if it is used.
    if (checkShape !== undefined) checkShape(this.shape());
    if (this.isMoving) this.#checkMoving();
    const plan = this.plan();
    const { mayScan, isByRowKey, sort } = this.state;
    if (sort !== undefined && (isByRowKey === true || plan.reversed !== undefined))
      throw notWithSort(isByRowKey === true ? "inRowKeyOrder()" : "reverse()", "Leave one of them out.");
    if (plan.reversed !== undefined) this.#checkReversed(plan, wanted);
    if (isByRowKey === true) this.#checkOrder(plan);
    if (plan.type === "table scan" && !mayScan && !isShortMerge(plan, wanted))
      throw new ScanRefused(
        nameOf(this.source),
        plan.table,
        plan.missing,
        propertiesOf(this.state.conditions),
        plan.alternatives,
      );
    return plan;
  }

  /** Whether its rows may have former keys. */
  get isMoving(): boolean {
    return this.source.chooser.models.some(({ options }) => options.formerKeys !== undefined);
  }

  /** @throws QueryError `query.former-keys` if rows under two keys cannot be read in this way */
  #checkMoving(): void {
    const { inclusion, isByRowKey, isReversed, path = primaryPath } = this.state;
    const name = nameOf(this.source);
    if (inclusion !== undefined) throw whileMoving(name, "include()");
    if (isByRowKey === true) throw whileMoving(name, "inRowKeyOrder()");
    if (isReversed === true) throw whileMoving(name, "reverse() and last()");
    if (path !== primaryPath) throw whileMoving(name, `via("${path}")`);
  }

  #checkReversed({ isMerged, reversed }: QueryPlan, wanted: number | undefined): void {
    const name = nameOf(this.source);
    if (this.source.storage.isUnordered === true) throw notInOrder(name, "reverse()");
    const { inclusion, path = primaryPath } = this.state;
    const isHeldOfIndex = reversed === "held" && path !== primaryPath;
    if (isMerged === true || inclusion !== undefined || isHeldOfIndex) throw notReversible(name);
    if (reversed === "held" && wanted === undefined) throw reversedUnbounded(name);
  }

  #checkOrder(plan: QueryPlan): void {
    const name = nameOf(this.source);
    const { path } = this.state;
    if (path !== undefined && path !== primaryPath) throw orderOfIndex(name, path);
    if (this.source.storage.isUnordered === true) throw notInOrder(name);
    if (plan.isMerged !== true) return;
    const partitions = plan.slices?.partitions ?? requestsByPartition(plan)?.size;
    if (partitions === undefined) throw notMergeable(name, partitionNames(this.source));
    if (partitions > maxMerged) throw tooManyToMerge(name, partitions, maxMerged);
  }

  /** The properties that are needed from each row; undefined for all of them. */
  #needed(): ReadonlySet<string> | undefined {
    const { projection, conditions, raw, sort } = this.state;
    // A filter in OData syntax may name properties that no class declares.
    if (projection === undefined || raw !== undefined) return undefined;
    return new Set([...projection.names, ...propertiesOf(conditions), ...(sort ? [sort.property] : [])]);
  }

  /**
   * An index holds the values of its last write. Tracked entities are refreshed, and rows are written, from the
   * entities' own rows.
   */
  #mustBeFresh(): boolean {
    const { mergeOption, isFresh } = this.state;
    const isRead = mergeOption === "appendOnly" || mergeOption === "noTracking";
    return isFresh === true || !isRead || this.source.upgradeNow !== undefined;
  }

  /** The source of the same query without its children; the check for declared patterns uses the original query. */
  #sourceAlone(): QuerySource {
    if (this.state.inclusion === undefined) return this.source;
    const { checkShape, ...source } = this.source;
    checkShape?.(this.shape());
    return source;
  }
}

/** Plans a query; a merge is planned by the slices of its keys. */
function inSlices(
  kinds: readonly PlannedKind[],
  plan: (kinds: readonly PlannedKind[]) => QueryPlan,
): QueryPlan {
  const planned = plan(kinds);
  const slices = planned.isMerged === true ? sliceOrderOf(kinds, plan) : undefined;
  return slices === undefined ? planned : { ...planned, slices };
}

const hasIndexes = ({ models, kinds }: QuerySource["chooser"]): boolean =>
  [...models, ...kinds].some(({ indexes }) => indexes.length > 0);

/** The properties in the PartitionKeys. */
function partitionNames({ chooser }: QuerySource): string[] {
  const parts = chooser.models.flatMap((model) => model.partitionKey.parts);
  return [...new Set(parts.flatMap(({ property }) => property ?? []))];
}

/** The classes of a query, for messages. */
export const nameOf = ({ chooser }: Pick<QuerySource, "chooser">): string =>
  chooser.models.map((model) => model.name).join(" | ");
