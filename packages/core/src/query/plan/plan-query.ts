// `planned-query.ts` and `choose-path.ts` call `planQuery`. It turns the predicate of each kind into key ranges,
// merges the ranges, and gives each a filter for storage and the conditions that are left for the client.

import { kindFilters } from "../../model/codec/row-layout.ts";
import { allOf, countComparisons, type FilterNode } from "../../values/filter/filter-node.ts";
import { filterOfBounds, type KeyBounds } from "../../values/filter/key-bounds.ts";
import { printFilter } from "../../values/filter/print-filter.ts";
import { isWithinPrefix, onlyText, type TextRange } from "../../values/keys/text-range.ts";
import type { KindChooser } from "../../model/codec/choose-kind.ts";
import type { EntityModel } from "../../model/declaration/entity-model.ts";
import { withoutIndexRows } from "./without-index-rows.ts";
import { fitComparisons, type FittedFilter } from "./fit-comparisons.ts";
import { disjuncts, isOfKeys } from "./disjuncts.ts";
import { lowerPredicate } from "./lower-predicate.ts";
import { type MergedRange, mergeRanges, type RangeOfKind, typeOfRange, unionOf } from "./merge-ranges.ts";
import { type RowForms, rowFormsOf } from "./row-forms.ts";
import { isOfOnePartition } from "./row-key-order.ts";
import { conditionsOn, familyRanges, withKindsBelow } from "./plan-include.ts";
import { planKeyRanges, planRows } from "./plan-key-ranges.ts";
import type { NormalNode } from "../build/predicate-node.ts";
import { type PlannedKind, type PlannedRequest, type QueryPlan, worstOf } from "./query-plan.ts";

/** The most ranges of one plan; with more, complete partitions are read and filtered. */
const maxRanges = 10_000;

/** Comparisons of one filter, key bounds counted. Source: learn.microsoft.com "Querying tables and entities". */
const maxComparisons = 15;

/**
 * Turns predicates over properties into disjoint key ranges, in key order, with the filter that storage evaluates in
 * each and the conditions that must be checked here. Pure: sends nothing.
 *
 * @param raw - a filter in the service's syntax that all rows must satisfy as well; it never narrows the keys
 * @param isByRowKey - whether rows are wanted in RowKey order across partitions
 */
export function planQuery(
  chooser: KindChooser,
  kinds: readonly PlannedKind[],
  raw?: FilterNode,
  isByRowKey: boolean = false,
): QueryPlan {
  const findings: Findings = { missing: new Set(), isWholeTable: false };
  const found = kinds.flatMap((kind) => rangesOfKind(kind, findings));
  return pointPlan(chooser, found, raw) ?? planOf(chooser, found, findings, raw, isByRowKey);
}

/**
 * The same for parents and their children: one range holds a parent and all of its children. Parents are returned
 * whether they satisfy the predicate or not, so a child without a parent can be distinguished from a child of another
 * parent.
 */
export function planFamilies(
  chooser: KindChooser,
  parent: PlannedKind,
  children: readonly EntityModel[],
  isByRowKey: boolean = false,
): QueryPlan {
  const findings: Findings = { missing: new Set(), isWholeTable: false };
  const shared = conditionsOn(parent.predicate, isOfKeys(parent.model));
  const models = [parent.model, ...children];
  const { isRanged = false } = parent;
  const members = models.map((model) => rangesOfKind({ model, predicate: shared, isRanged }, findings));
  const kinds = withKindsBelow(models).map((model) => ({ model, predicate: undefined, isPartial: true }));
  return planOf(chooser, familyRanges(members, kinds), findings, undefined, isByRowKey);
}

/**
 * A query that fixes both keys reads one row, unless the row cannot be an entity's; conditions that the keys do not
 * decide are checked on it.
 */
function pointPlan(
  chooser: KindChooser,
  [only, another]: readonly RangeOfKind[],
  raw: FilterNode | undefined,
): QueryPlan | undefined {
  if (only === undefined || another !== undefined) return undefined;
  const rowKey = onlyText(only.bounds.rowKey);
  if (rowKey === undefined || onlyText(only.bounds.partitionKey) === undefined) return undefined;
  const isOfIndex = chooser.reservedPrefixes.some((prefix) => rowKey.startsWith(prefix));
  const requests = isOfIndex ? [] : [pointOf(only.bounds, [only], raw, chooser.maySkip)];
  return { table: chooser.table, requests, type: "point", missing: [] };
}

function planOf(
  chooser: KindChooser,
  found: readonly RangeOfKind[],
  findings: Findings,
  raw: FilterNode | undefined,
  isByRowKey: boolean,
): QueryPlan {
  const ranges = mergeRanges(found);
  const isMerged = isByRowKey && !isOfOnePartition(ranges);
  const requests = ranges
    .flatMap((range) => entityRequests(range, chooser.reservedPrefixes, raw, isMerged))
    .map((request) => (chooser.maySkip ? { ...request, needsCheck: true } : request));
  // Reading every bucket from end to end is a table scan, however many partitions it has.
  const type = findings.isWholeTable ? "table scan" : worstOf(requests);
  const missing = [...findings.missing];
  return { table: chooser.table, requests, type, missing, ...(isMerged && { isMerged }) };
}

/** Findings that planning collects. */
interface Findings {
  /** Properties that would make a scan a range. */
  readonly missing: Set<string>;
  isWholeTable: boolean;
}

function rangesOfKind(kind: PlannedKind, findings: Findings): RangeOfKind[] {
  const { model, predicate } = kind;
  const alternatives = predicate === undefined ? [[]] : disjuncts(predicate, isOfKeys(model));
  const forms = rowFormsOf(model);
  return alternatives.flatMap((conditions) => rangesOfAlternative(kind, forms, conditions, findings));
}

function rangesOfAlternative(
  kind: PlannedKind,
  forms: RowForms,
  conditions: readonly NormalNode[],
  findings: Findings,
): RangeOfKind[] {
  const partitions = planKeyRanges(kind.model.partitionKey, conditions, kind.isRanged);
  const rows = planRows(forms, conditions);
  // No condition narrows the partitions: that will do only where they can be listed, and a part of each is read.
  const isListed = partitions.ranges.every((range) => onlyText(range) !== undefined);
  const isWholeTable = partitions.isComplete && !(isListed && !rows.isComplete);
  if (isWholeTable) findings.isWholeTable = true;
  if (partitions.missing !== undefined && (isWholeTable || !isListed))
    findings.missing.add(partitions.missing);

  const isTooMany = partitions.ranges.length * rows.ranges.length > maxRanges;
  const ranges = partitions.ranges.flatMap((partitionKey) =>
    rowRangesFor(partitionKey, rows.ranges, isTooMany).map((rowKey) => ({ partitionKey, rowKey })),
  );
  const usesRows = ranges.every((range) => rows.ranges.includes(range.rowKey));
  const rest = conditions.filter(
    (node) => !partitions.decided.includes(node) && !(usesRows && rows.decided.includes(node)),
  );
  return ranges.map((bounds) => ({
    bounds,
    kind,
    rest: rest.length === 0 ? undefined : { type: "and", nodes: rest },
  }));
}

/** Several RowKey ranges are several requests only within one partition; elsewhere one that holds them serves as a filter. */
function rowRangesFor(
  partitionKey: TextRange,
  rows: readonly TextRange[],
  isTooMany: boolean,
): readonly TextRange[] {
  if (rows.length <= 1) return rows;
  return onlyText(partitionKey) !== undefined && !isTooMany ? rows : [rows.reduce(unionOf)];
}

/** The requests for a range, without rows that are no entities. */
function entityRequests(
  range: MergedRange,
  prefixes: readonly string[],
  raw: FilterNode | undefined,
  isMerged: boolean,
): PlannedRequest[] {
  if (prefixes.length === 0) return [requestOf(range, raw, isMerged)];
  const type = typeOfRange(range);
  return withoutIndexRows(range, prefixes).map((each) => ({
    ...requestOf(each.range, raw, isMerged, each.filter),
    type,
  }));
}

/** @param others - the condition that excludes rows that are no entities */
function requestOf(
  range: MergedRange,
  raw: FilterNode | undefined,
  isMerged: boolean,
  others?: FilterNode,
): PlannedRequest {
  const { bounds, kinds } = range;
  const lowered = kinds.map(({ kind: { model }, rest }) => ({
    model,
    wanted: rest,
    ...(rest === undefined ? { filter: undefined, rest: [] } : lowerPredicate(model, rest)),
  }));
  const type = typeOfRange(range);
  if (type === "point") return pointOf(bounds, kinds, raw, false);
  // The next page of a merge begins at a RowKey: one more comparison, where there is none yet.
  const reserved = isMerged && bounds.rowKey.lower === undefined ? 1 : 0;
  const room = maxComparisons - reserved - countComparisons(filterOfBounds(bounds));
  const leavesOut = countComparisons(others) <= room;
  const budget = leavesOut ? room - countComparisons(others) : room;
  const isRawSent = countComparisons(raw) <= budget;
  const own = filterOfKinds(lowered, bounds, isRawSent ? budget - countComparisons(raw) : budget);
  // A filter that had to be weakened leaves all of its conditions to be checked.
  const rest = lowered.flatMap((each) => together(own.isComplete ? each.rest : present(each.wanted)));
  return {
    type,
    bounds,
    filter: allOf([
      ...(leavesOut ? present(others) : []),
      ...present(own.filter),
      ...(isRawSent ? present(raw) : []),
    ]),
    needsCheck:
      !own.isComplete ||
      !isRawSent ||
      !leavesOut ||
      rest.length > 0 ||
      kinds.some(({ kind }) => kind.isPartial),
    rest,
  };
}

/** A point read takes no filter: all conditions are checked here. */
function pointOf(
  bounds: KeyBounds,
  kinds: MergedRange["kinds"],
  raw: FilterNode | undefined,
  maySkip: boolean,
): PlannedRequest {
  const rest = kinds.flatMap((kind) => present(kind.rest));
  const named = namesOfKinds(
    kinds.map(({ kind: { model } }) => ({ model, filter: undefined })),
    bounds,
  );
  const isPartial = kinds.some(({ kind }) => kind.isPartial);
  const needsCheck = maySkip || isPartial || rest.length > 0 || raw !== undefined || named.length > 0;
  return { type: "point", bounds, filter: undefined, needsCheck, rest };
}

/** Conditions of one kind, as one. */
const together = (nodes: readonly NormalNode[]): NormalNode[] =>
  nodes.length === 0 ? [] : [nodes.length === 1 ? (nodes[0] as NormalNode) : { type: "and", nodes }];

interface FilterOfKind {
  readonly model: EntityModel;
  readonly filter: FilterNode | undefined;
}

/**
 * One filter for all kinds of a range, within the budget: shared conditions once, and different ones with each kind's
 * name. The kinds come first: a row of another kind is never a result.
 */
function filterOfKinds(kinds: readonly FilterOfKind[], bounds: KeyBounds, budget: number): FittedFilter {
  const named = namesOfKinds(kinds, bounds);
  if (kinds.length > 1 && !haveOneFilter(kinds)) {
    const branches = kinds.map((kind) => allOf([...kindNodes([kind]), ...present(kind.filter)]));
    const filter = branches.includes(undefined)
      ? undefined
      : ({ op: "or", nodes: branches as FilterNode[] } as const);
    if (filter !== undefined && countComparisons(filter) <= budget) return { filter, isComplete: true };
    return { ...fitComparisons(allOf(named), budget), isComplete: false };
  }
  const shared = fitComparisons(kinds[0]?.filter, budget - countComparisons(allOf(named)));
  const filter = allOf([...named, ...present(shared.filter)]);
  return countComparisons(filter) <= budget
    ? { filter, isComplete: shared.isComplete }
    : { filter: undefined, isComplete: false };
}

function haveOneFilter(kinds: readonly FilterOfKind[]): boolean {
  const texts = kinds.map(({ filter }) => (filter === undefined ? "" : printFilter(filter)));
  return new Set(texts).size === 1;
}

/** The kinds that the range is for, if its keys do not decide it. */
function namesOfKinds(kinds: readonly FilterOfKind[], { rowKey }: KeyBounds): FilterNode[] {
  const [only] = kinds;
  const isSaid = kinds.length === 1 && only !== undefined && saysKind(rowKey, only.model);
  return isSaid ? [] : kindNodes(kinds);
}

/** Whether every key of the range begins with the kind's name, as a part of its own. */
function saysKind(rowKey: TextRange, { kind, rowKey: { parts, separator } }: EntityModel): boolean {
  if (kind?.key !== "prefix") return false;
  return kind.names.some((name) =>
    parts.length === 1 ? onlyText(rowKey) === name : isWithinPrefix(rowKey, name + separator),
  );
}

/** The condition for rows of these kinds; none if one of them has no kind, or has it in no property. */
function kindNodes(kinds: readonly FilterOfKind[]): FilterNode[] {
  const names = new Map<string, FilterNode>();
  for (const { model } of kinds) {
    const filters = kindFilters(model);
    if (filters === undefined) return [];
    for (const [name, filter] of filters) names.set(name, filter);
  }
  const nodes = [...names.values()];
  return nodes.length === 1 ? nodes : [{ op: "or", nodes }];
}

const present = <Node>(node: Node | undefined): Node[] => (node === undefined ? [] : [node]);
