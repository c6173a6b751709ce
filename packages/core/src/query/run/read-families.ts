import type { StoredEntity } from "../../values/edm/stored-entity.ts";
import { keyOfStored } from "../../model/codec/row-layout.ts";
import { entitiesOnly, type UnreadableRowPolicy } from "../../model/codec/unreadable-row.ts";
import { checkAssignable } from "../../model/codec/check-assignable.ts";
import { evaluatePredicate } from "./evaluate-predicate.ts";
import type { Inclusion } from "../build/inclusion.ts";
import {
  assembleFamilies,
  isOf,
  type Family,
  type FamilyPlace,
  orphaned,
  type TimedRow,
  warnOfOrphan,
} from "./assemble-families.ts";
import type { CheckedRow } from "../../model/codec/choose-kind.ts";
import { type InMemoryFilter, passesAll } from "../build/in-memory-filter.ts";
import { sorted } from "./sort-rows.ts";
import { RowCheck } from "./row-check.ts";
import { isOfKeys } from "../plan/disjuncts.ts";
import { conditionsOn, familyChooser } from "../plan/plan-include.ts";
import { storedNamesOf } from "../plan/stored-names.ts";
import { parentKeyOf } from "../../model/declaration/child-model.ts";
import type { EntityModel } from "../../model/declaration/entity-model.ts";
import type { LoadedProperties } from "../../model/codec/snapshot.ts";
import { namesIn } from "../../values/filter/filter-node.ts";
import type { QueryPlan } from "../plan/query-plan.ts";
import type { QuerySource, QueryState } from "../query-state.ts";
import { runMerge } from "./run-merge.ts";
import { type PlanRunOptions, type ReadPage, runPlan } from "./run-plan.ts";

/** Families of one query: their rows, and the entities that are made of them. */
export class FamilyReader {
  readonly #inclusion: Inclusion;
  readonly #source: QuerySource;
  readonly #state: QueryState;
  readonly #options: Pick<PlanRunOptions, "isEager" | "counts">;
  readonly #unreadableRows: UnreadableRowPolicy;

  constructor(
    inclusion: Inclusion,
    source: QuerySource,
    state: QueryState,
    options: Pick<PlanRunOptions, "isEager" | "counts">,
  ) {
    this.#inclusion = inclusion;
    this.#source = source;
    this.#state = state;
    this.#options = options;
    this.#unreadableRows = entitiesOnly(state.unreadableRows ?? source.unreadableRows);
  }

  /** Parents with their children, in the parents' order. */
  async *entities(plan: QueryPlan): AsyncGenerator<readonly object[]> {
    const { take, sort } = this.#state;
    let left = take ?? Number.POSITIVE_INFINITY;
    if (left === 0) return;
    const found = this.families(plan);
    for await (const done of sort ? sorted(found, sort, take, ({ parent }) => parent) : found) {
      const entities = done.slice(0, left).flatMap((family) => this.build(family));
      left -= entities.length;
      yield entities;
      if (left === 0) return;
    }
  }

  /**
   * The rows of parents that match, with those of their children.
   *
   * @param from - where the families begin that are read: children of others may follow, and belong to earlier pages
   */
  families(plan: QueryPlan, from?: FamilyPlace): AsyncGenerator<readonly Family[]> {
    const { source, state } = { source: this.#source, state: this.#state };
    const { conditions, raw, signal, retry, projection, sort, filters } = state;
    const { isEager = false, counts } = this.#options;
    const { parent, lists } = this.#inclusion;
    const chooser = familyChooser(this.#inclusion);
    const check = new RowCheck({
      chooser,
      unreadableRows: this.#unreadableRows,
      conditions,
      scope: source.scope,
      raw,
      onUnreadable: counts && (() => void counts.unreadable++),
      loadedOf: (model) => this.#loadedOf(model),
    });
    const ofKind = (row: StoredEntity): CheckedRow | undefined => check.ofKind(row);
    const upgraded = async function* (read: AsyncIterable<ReadPage>): AsyncGenerator<ReadPage> {
      for await (const { rows, readAt } of read)
        yield { rows: (await source.upgradeNow?.(rows, ofKind, state.mergeOption, signal)) ?? rows, readAt };
    };
    const inRange = conditionsOn(conditions.for(parent), isOfKeys(parent));
    const readPlan = plan.isMerged === true ? runMerge : runPlan;
    const isWhole = projection === undefined || lists.some(({ projection: own }) => own === undefined);
    const names = [
      ...(projection?.names ?? []),
      ...(sort ? [sort.property] : []),
      ...lists.flatMap((list) => [...(list.projection?.names ?? [])]),
    ];
    const pages = readPlan(source.storage, plan, undefined, {
      isEager,
      counts,
      wanted: filters === undefined ? state.take : undefined,
      clock: source.clock,
      check: ofKind,
      ...(!isWhole && { select: storedNamesOf(chooser.models, names, conditions, namesIn(raw)) }),
      ...(signal !== undefined && { signal }),
      ...(retry !== undefined && { retry }),
    });
    const families = assembleFamilies(this.#inclusion, upgraded(pages), {
      isMerged: plan.isMerged === true,
      // A family needs a parent that is an entity: a row that cannot be read is none, unless that is an error.
      isWanted: (row, model) => check.isWanted(model, row),
      isInRange: (row, { child }) =>
        !isBefore(from, row.PartitionKey, parentKeyOf(parent, child, row.RowKey)) &&
        (inRange === undefined || evaluatePredicate(child, inRange, row)),
      onOrphan: (orphan, list) => {
        if (list.onOrphan === "error") throw orphaned(parent, list, orphan.row);
        if (list.onOrphan === undefined) warnOfOrphan(parent, list, orphan.row);
        else list.onOrphan(this.#buildRow(orphan) ?? orphan.row);
      },
    });
    return filters === undefined ? families : this.#passing(families, filters);
  }

  /** Asks filters about copies that are not tracked, with their children. */
  async *#passing(
    all: AsyncIterable<readonly Family[]>,
    filters: readonly InMemoryFilter[],
  ): AsyncGenerator<readonly Family[]> {
    const state: QueryState = { ...this.#state, mergeOption: "noTracking" };
    const copies = new FamilyReader(this.#inclusion, this.#source, state, {});
    const passes = (family: Family): boolean =>
      copies.build(family).every((copy) => passesAll(filters, copy, family.parent.model, state.projection));
    for await (const families of all) yield families.filter(passes);
  }

  /** The parent with its children in their properties; none when the parent was deleted here and is not yet saved. */
  build(family: Family): object[] {
    const { parent, lists } = this.#inclusion;
    const entity = this.#buildRow(family.parent);
    if (entity === undefined) return [];
    const names = lists.map(({ property }) => property);
    checkAssignable(entity, parent, keyOfStored(family.parent.row), "include()", () => names);
    for (const [at, { property }] of lists.entries()) {
      const rows = family.children[at] ?? [];
      const build = (): (object | undefined)[] => rows.map((row) => this.#buildRow(row));
      this.#source.reader.showChildren(entity, property, build, this.#state.mergeOption);
    }
    return [entity];
  }

  /** The entity of a row; undefined for one that was deleted here. */
  #buildRow({ model, row, readAt }: TimedRow): object | undefined {
    return this.#source.reader.materialize(
      { model, row },
      {
        merge: this.#state.mergeOption,
        readAt,
        loaded: this.#loadedOf(model),
        unreadableRows: this.#unreadableRows,
      },
    );
  }

  #loadedOf(model: EntityModel): LoadedProperties {
    const list = this.#inclusion.lists.find(({ child }) => isOf(model, child));
    return (list === undefined ? this.#state.projection : list.projection)?.loadedOf(model);
  }
}

const isBefore = (from: FamilyPlace | undefined, partitionKey: string, rowKey: string): boolean =>
  from !== undefined && partitionKey === from[0] && rowKey < from[1];
