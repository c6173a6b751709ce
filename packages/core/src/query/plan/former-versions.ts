import { perModel } from "../../model/declaration/per-model.ts";
import { olderThanFilter } from "../../model/codec/row-layout.ts";
import { evaluateFilter } from "../../values/filter/evaluate-filter.ts";
import { type FilterNode, type Literal } from "../../values/filter/filter-node.ts";
import { mayBeOlder } from "../../model/codec/current-row.ts";
import type { EntityModel, PropertyModel } from "../../model/declaration/entity-model.ts";
import type { UpgradeChain } from "../../model/upgrade/upgrade-chain.ts";
import { type PropertyTrace, traceProperty } from "../../model/upgrade/trace-property.ts";

/** The forms of a property in rows of older versions; undefined if they all have it in its present form. */
export function traceOf(model: EntityModel, { storedName }: PropertyModel): PropertyTrace | undefined {
  if (!mayBeOlder(model)) return undefined;
  const chain = model.version?.chain as UpgradeChain;
  const known = tracesOf(model);
  if (!known.has(storedName)) known.set(storedName, traceProperty(chain, storedName));
  return known.get(storedName);
}

/** By stored name. */
const tracesOf = perModel(() => new Map<string, PropertyTrace | undefined>());

/**
 * A filter of one condition widened to rows of older versions: never narrower, so the rows that it returns are
 * checked again after their upgrade.
 *
 * @param plain - the condition on the present name
 * @param under - the same condition on another name
 * @param older - what rows have that need a conversion; without it, all of them are requested
 */
export function widened(
  model: EntityModel,
  property: PropertyModel,
  trace: PropertyTrace,
  plain: FilterNode,
  under: (storedName: string) => FilterNode,
  older: FilterNode | undefined,
): FilterNode {
  const nodes = [plain, ...trace.formerNames.map(under)];
  const { added, unknownBelow, settledFrom } = trace;
  if (unknownBelow !== undefined) nodes.push(older ?? olderThanFilter(model, unknownBelow));
  else if (added !== undefined && mayHold(property, added.value, plain))
    nodes.push(olderThanFilter(model, settledFrom));
  return nodes.length === 1 ? plain : { op: "or", nodes };
}

/** The same for a negated condition: rows that lack the name pass it already, unless they use it for something else. */
export function widenedNegation(
  model: EntityModel,
  { defaultStored }: PropertyModel,
  trace: PropertyTrace,
  plain: FilterNode,
): FilterNode {
  const negated: FilterNode = { op: "not", node: plain };
  const { isNameReused, unknownBelow, settledFrom } = trace;
  // Where absence reads as a default, the filter speaks of absent values too.
  const isOfAbsence = defaultStored() !== undefined;
  if (!isNameReused && !isOfAbsence && unknownBelow === undefined) return negated;
  return { op: "or", nodes: [negated, olderThanFilter(model, Math.max(settledFrom, unknownBelow ?? 1))] };
}

/** Whether the value that older rows are given may satisfy the condition. */
function mayHold({ serializer, path }: PropertyModel, value: unknown, plain: FilterNode): boolean {
  try {
    const literal: Literal = { edm: serializer.edm, value: serializer.encode(value, path) };
    return evaluateFilter(plain, () => literal);
  } catch {
    return true;
  }
}
