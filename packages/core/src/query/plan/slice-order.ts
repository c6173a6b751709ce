// `planned-query.ts` calls `sliceOrderOf` for a query in RowKey order. If PartitionKeys have slices of time, and RowKeys
// sort by the same time, the merge opens the slices one after another instead of all at once.

import type { AnyDerivedFormat, SliceSteps, TimeSlice } from "../../values/keys/derived-format.ts";
import { type KeyTemplate, splitKey } from "../../values/keys/key-template.ts";
import { onlyText, type TextRange } from "../../values/keys/text-range.ts";
import type { NormalNode, PredicateLeaf } from "../build/predicate-node.ts";
import { disjuncts, isOfKeys } from "./disjuncts.ts";
import { planKeyRanges, planRows, sourceConditionOf } from "./plan-key-ranges.ts";
import type { PlannedKind, QueryPlan, SliceOrder } from "./query-plan.ts";
import { rowFormsOf } from "./row-forms.ts";

/** The part of a PartitionKey that divides time. */
interface SlicePart {
  readonly index: number;
  readonly property: string;
  readonly format: string;
  readonly steps: SliceSteps;
}

/**
 * The slices of a query that are read one after another; undefined if its keys have none, if the partitions of a slice are
 * not listed, or if other RowKeys come first.
 *
 * @param plan - plans the same query for kinds with more conditions
 */
export function sliceOrderOf(
  kinds: readonly PlannedKind[],
  plan: (kinds: readonly PlannedKind[]) => QueryPlan,
): SliceOrder | undefined {
  const [first, ...others] = kinds;
  const part = first && slicePartOf(first.model.partitionKey);
  if (first === undefined || part === undefined) return undefined;
  const isSame = ({ model: { partitionKey } }: PlannedKind): boolean => {
    const other = slicePartOf(partitionKey);
    return other?.property === part.property && other.format === part.format && other.index === part.index;
  };
  const { property, steps } = part;
  const alternatives = kinds.flatMap((kind) => alternativesOf(kind));
  if (!others.every(isSame) || !isInRowKeyOrder(alternatives, part)) return undefined;
  const partitions = countPartitions(alternatives, part);
  if (partitions === undefined) return undefined;
  const narrowed = (leaves: readonly PredicateLeaf[], isRanged: boolean): QueryPlan =>
    plan(kinds.map((kind) => ({ ...kind, isRanged, predicate: together(kind.predicate, leaves) })));
  return {
    partitions,
    first: firstSlice(alternatives, part),
    next: (slice) => steps.next(slice),
    sliceOf: (partitionKey) => {
      const text = splitKey(first.model.partitionKey, partitionKey)?.[part.index];
      return text === undefined ? undefined : steps.of(text);
    },
    planOf: (slice) => narrowed(within(property, slice), false),
    planAfter: (slice) => narrowed(slice === undefined ? [] : [after(property, steps, slice)], true),
  };
}

function slicePartOf({ parts }: KeyTemplate): SlicePart | undefined {
  const index = parts.findIndex(({ format }) => (format as Partial<AnyDerivedFormat>).slices !== undefined);
  const { property, format } = parts[index] ?? {};
  const steps = (format as Partial<AnyDerivedFormat> | undefined)?.slices;
  if (property === undefined || format === undefined || steps === undefined) return undefined;
  return { index, property, format: format.format, steps };
}

/** One of the alternatives of a kind's predicate: conditions that must all hold. */
interface Alternative {
  readonly model: PlannedKind["model"];
  readonly conditions: readonly NormalNode[];
}

const alternativesOf = ({ model, predicate }: PlannedKind): Alternative[] =>
  (predicate === undefined ? [[]] : disjuncts(predicate, isOfKeys(model))).map((conditions) => ({
    model,
    conditions,
  }));

/** Whether all RowKeys of a slice are before those of the next slice: two slices show it, as times are in order. */
function isInRowKeyOrder(alternatives: readonly Alternative[], { property, steps }: SlicePart): boolean {
  const one = someSlice(steps);
  const other = one && steps.next(one);
  if (one === undefined || other === undefined) return false;
  const rangesIn = (slice: TimeSlice): readonly TextRange[] =>
    alternatives.flatMap(
      ({ model, conditions }) =>
        planRows(rowFormsOf(model), [...without(property, conditions), ...within(property, slice)]).ranges,
    );
  const later = rangesIn(other);
  return rangesIn(one).every(({ upper }) =>
    later.every(({ lower }) => upper !== undefined && lower !== undefined && upper.text <= lower.text),
  );
}

const someSlice = (steps: SliceSteps): TimeSlice | undefined =>
  steps.first([{ op: "eq", operand: new Date(0) }]);

/** The partitions of one slice; undefined where conditions leave a range of them. */
function countPartitions(
  alternatives: readonly Alternative[],
  { property, steps }: SlicePart,
): number | undefined {
  const slice = someSlice(steps) as TimeSlice;
  const ranges = alternatives.flatMap(
    ({ model, conditions }) =>
      planKeyRanges(model.partitionKey, [...without(property, conditions), ...within(property, slice)])
        .ranges,
  );
  const keys = ranges.map(onlyText);
  return keys.includes(undefined) ? undefined : new Set(keys).size;
}

/** The slice that all alternatives begin with. */
function firstSlice(
  alternatives: readonly Alternative[],
  { property, steps }: SlicePart,
): TimeSlice | undefined {
  const firsts = alternatives.map(({ conditions }) =>
    steps.first(conditions.flatMap((node) => (isOn(property, node) ? sourceConditionOf(node) : []))),
  );
  const [first] = firsts;
  return firsts.every((each) => each?.from.getTime() === first?.from.getTime()) ? first : undefined;
}

const isOn = (property: string, node: NormalNode): node is PredicateLeaf =>
  "property" in node && node.property === property;

const without = (property: string, conditions: readonly NormalNode[]): NormalNode[] =>
  conditions.filter((node) => !isOn(property, node));

const together = (predicate: NormalNode | undefined, leaves: readonly NormalNode[]): NormalNode => ({
  type: "and",
  nodes: [...(predicate === undefined ? [] : [predicate]), ...leaves],
});

const within = (property: string, { from, to }: TimeSlice): PredicateLeaf[] => [
  { type: "compare", property, op: "ge", value: from },
  { type: "compare", property, op: "le", value: to },
];

const after = (property: string, { isNewestFirst }: SliceSteps, { from, to }: TimeSlice): PredicateLeaf =>
  isNewestFirst
    ? { type: "compare", property, op: "lt", value: from }
    : { type: "compare", property, op: "gt", value: to };
