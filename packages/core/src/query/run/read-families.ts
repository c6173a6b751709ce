import type { StoredEntity } from "../../edm/stored-entity.ts";
import { UpgradeError } from "../../errors/upgrade-error.ts";
import { currentRow } from "../../codec/current-row.ts";
import { type KindChooser, kindChooser } from "../../codec/choose-kind.ts";
import type { EntityModel } from "../../model/entity-model.ts";
import { keyOfStored } from "../../codec/row-layout.ts";
import { checkAssignable } from "../../unit-of-work/state-errors.ts";
import { evaluatePredicate } from "./evaluate-predicate.ts";
import {
  assembleFamilies,
  type Family,
  type Inclusion,
  orphaned,
  type TimedRow,
  warnOfOrphan,
} from "./include.ts";
import { matches } from "./matching.ts";
import { conditionsOn, isOfKeys } from "../plan/plan-include.ts";
import type { QueryPlan } from "../plan/query-plan.ts";
import type { QuerySource, QueryState } from "./query-state.ts";
import { type ReadPage, runPlan } from "./run-plan.ts";

/** The classes whose rows a query with children reads. */
export const familyChooser = ({ parent, child }: Inclusion): KindChooser =>
  kindChooser([parent.entityClass, child.entityClass]);

/** Parents with their children, in the parents' order. */
export async function* readFamilies<Result>(
  inclusion: Inclusion,
  plan: QueryPlan,
  source: QuerySource,
  state: QueryState,
  isEager: boolean,
): AsyncGenerator<readonly Result[]> {
  const { conditions, raw, signal, retry } = state;
  const { parent, child, onOrphan } = inclusion;
  const chooser = familyChooser(inclusion);
  const build = (model: EntityModel, { row, readAt }: TimedRow): object | undefined =>
    source.materialize(model, row, state.merge, readAt, undefined);
  const upgraded = async function* (read: AsyncIterable<ReadPage>): AsyncGenerator<ReadPage> {
    for await (const { rows, readAt } of read)
      yield { rows: (await source.upgradeNow?.(rows, state.merge, signal)) ?? rows, readAt };
  };
  /** A family needs a parent that is an entity: a row that cannot be upgraded is none, unless that is an error. */
  const isReadable = (model: EntityModel, row: StoredEntity): boolean => {
    try {
      currentRow(model, row);
      return true;
    } catch (error) {
      if (!(error instanceof UpgradeError) || source.failedUpgrades === "stop") throw error;
      return false;
    }
  };
  const inRange = conditionsOn(conditions.for(parent), isOfKeys(parent));
  const pages = runPlan(source.storage, plan, undefined, {
    isEager,
    now: source.now,
    check: (row) => chooser.choose(row) !== undefined,
    ...(signal !== undefined && { signal }),
    ...(retry !== undefined && { retry }),
  });
  const families = assembleFamilies(inclusion, upgraded(pages), {
    modelOf: (row) => chooser.choose(row),
    isWanted: (row) => isReadable(parent, row) && matches(parent, conditions, raw, row),
    isInRange: (row) => inRange === undefined || evaluatePredicate(child, inRange, row),
    onOrphan(orphan) {
      if (onOrphan === "error") throw orphaned(inclusion, orphan.row);
      if (onOrphan === undefined) warnOfOrphan(inclusion, orphan.row);
      else onOrphan(build(child, orphan) ?? orphan.row);
    },
  });
  let left = state.take ?? Number.POSITIVE_INFINITY;
  if (left === 0) return;
  for await (const done of families) {
    const entities = done.slice(0, left).flatMap((family) => buildFamily(inclusion, family, build));
    left -= entities.length;
    yield entities as Result[];
    if (left === 0) return;
  }
}

/** The parent with its children in their property; none when the parent was removed here and is not yet saved. */
function buildFamily(
  { parent, child, property }: Inclusion,
  family: Family,
  build: (model: EntityModel, timed: TimedRow) => object | undefined,
): object[] {
  const entity = build(parent, family.parent) as Record<string, unknown> | undefined;
  if (entity === undefined) return [];
  checkAssignable(entity, parent, keyOfStored(family.parent.row), "include()", () => [property]);
  const children = family.children.map((each) => build(child, each));
  entity[property] = children.filter((each) => each !== undefined);
  return [entity];
}
