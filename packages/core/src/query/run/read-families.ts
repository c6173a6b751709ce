import type { StoredEntity } from "../../values/edm/stored-entity.ts";
import { keyOfStored } from "../../model/codec/row-layout.ts";
import { entitiesOnly } from "../../model/codec/unreadable-row.ts";
import { checkAssignable } from "../../model/codec/check-assignable.ts";
import { evaluatePredicate } from "./evaluate-predicate.ts";
import type { Inclusion } from "../options/include-options.ts";
import { assembleFamilies, type Family, orphaned, type TimedRow, warnOfOrphan } from "./assemble-families.ts";
import type { CheckedRow } from "../../model/codec/choose-kind.ts";
import { RowCheck } from "./row-check.ts";
import { conditionsOn, familyChooser, isOfKeys } from "../plan/plan-include.ts";
import type { QueryPlan } from "../plan/query-plan.ts";
import type { QuerySource, QueryState } from "../query-state.ts";
import { runMerge } from "./run-merge.ts";
import { type PlanRunOptions, type ReadPage, runPlan } from "./run-plan.ts";

/** Parents with their children, in the parents' order. */
export async function* readFamilies(
  inclusion: Inclusion,
  plan: QueryPlan,
  source: QuerySource,
  state: QueryState,
  { isEager = false, counts }: Pick<PlanRunOptions, "isEager" | "counts">,
): AsyncGenerator<readonly object[]> {
  const { conditions, raw, signal, retry } = state;
  const { parent, child, onOrphan } = inclusion;
  const unreadableRows = entitiesOnly(state.unreadableRows ?? source.unreadableRows);
  const check = new RowCheck({
    chooser: familyChooser(inclusion),
    unreadableRows,
    conditions,
    raw,
    onUnreadable: counts && (() => void counts.unreadable++),
  });
  const build: Build = ({ model, row, readAt }) =>
    source.reader.materialize({ model, row }, { merge: state.mergeOption, readAt, unreadableRows });
  const ofKind = (row: StoredEntity): CheckedRow | undefined => check.ofKind(row);
  const upgraded = async function* (read: AsyncIterable<ReadPage>): AsyncGenerator<ReadPage> {
    for await (const { rows, readAt } of read)
      yield { rows: (await source.upgradeNow?.(rows, ofKind, state.mergeOption, signal)) ?? rows, readAt };
  };
  const inRange = conditionsOn(conditions.for(parent), isOfKeys(parent));
  const readPlan = plan.isMerged === true ? runMerge : runPlan;
  const pages = readPlan(source.storage, plan, undefined, {
    isEager,
    counts,
    wanted: state.take,
    clock: source.clock,
    check: (row) => check.ofKind(row),
    ...(signal !== undefined && { signal }),
    ...(retry !== undefined && { retry }),
  });
  const families = assembleFamilies(inclusion, upgraded(pages), {
    isMerged: plan.isMerged === true,
    // A family needs a parent that is an entity: a row that cannot be read is none, unless that is an error.
    isWanted: (row) => check.isWanted(parent, row),
    isInRange: (row) => inRange === undefined || evaluatePredicate(child, inRange, row),
    onOrphan(orphan) {
      if (onOrphan === "error") throw orphaned(inclusion, orphan.row);
      if (onOrphan === undefined) warnOfOrphan(inclusion, orphan.row);
      else onOrphan(build(orphan) ?? orphan.row);
    },
  });
  const show: Show = (entity, children) =>
    source.reader.showChildren(entity, inclusion.property, children, state.mergeOption);
  let left = state.take ?? Number.POSITIVE_INFINITY;
  if (left === 0) return;
  for await (const done of families) {
    const entities = done.slice(0, left).flatMap((family) => buildFamily(inclusion, family, build, show));
    left -= entities.length;
    yield entities;
    if (left === 0) return;
  }
}

/** Builds or finds the entity of a row; undefined for one that was deleted here. */
type Build = (timed: TimedRow) => object | undefined;
/** Puts children into the property of their parent. */
type Show = (entity: object, children: () => object[]) => void;

/** The parent with its children in their property; none when the parent was deleted here and is not yet saved. */
function buildFamily({ parent, property }: Inclusion, family: Family, build: Build, show: Show): object[] {
  const entity = build(family.parent);
  if (entity === undefined) return [];
  checkAssignable(entity, parent, keyOfStored(family.parent.row), "include()", () => [property]);
  show(entity, () => family.children.map(build).filter((each) => each !== undefined));
  return [entity];
}
