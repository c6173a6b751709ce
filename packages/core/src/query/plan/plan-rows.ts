import type { KeyPart, KeyTemplate } from "../../keys/key-template.ts";
import { everything } from "../../keys/text-range.ts";
import { verbatim } from "../../keys/verbatim.ts";
import { type EntityModel, findIndex } from "../../model/entity-model.ts";
import { kindsBelow } from "../../model/model-registry.ts";
import type { NormalNode } from "../build/predicate-node.ts";
import { joinOverlapping } from "./merge-ranges.ts";
import { type KeyRanges, planKeyRanges } from "./plan-key-ranges.ts";

/** The ranges of RowKeys that some conditions allow, by every form of key the class's rows may have. */
export function planRows(model: EntityModel, conditions: readonly NormalNode[]): KeyRanges {
  const plans = rowTemplatesOf(model).map((template) => planKeyRanges(template, conditions));
  const [first, ...others] = plans;
  const missing = plans.find((plan) => plan.missing !== undefined)?.missing;
  // One range, whatever kinds are in it, unless something is asked of their keys. An index has a beginning for all of them.
  const isBase = model.index === undefined && model.kind === undefined && kindsOf(model).length > 0;
  if (first === undefined || (isBase && plans.every(({ isNarrowed }) => !isNarrowed)))
    return { ranges: [everything], decided: new Set(), missing, isWhole: true, isNarrowed: false };
  return {
    ranges: joinOverlapping(plans.flatMap(({ ranges }) => ranges)),
    decided: mayReachIntoOthers(model)
      ? new Set()
      : new Set([...first.decided].filter((node) => others.every(({ decided }) => decided.has(node)))),
    missing,
    isWhole: plans.some(({ isWhole }) => isWhole),
    isNarrowed: true,
  };
}

/**
 * Whether a range for the keys of kinds that have further parts may hold keys of others whose last part of the base holds
 * the separator itself: then rows are looked at by the parts that their own class reads.
 */
function mayReachIntoOthers(model: EntityModel): boolean {
  const { parts, separator } = model.rowKey;
  const last = parts.at(-1)?.format;
  const isBase = model.index === undefined && kindsOf(model).length > 0;
  return isBase && last !== undefined && last.width === undefined && last.separator !== separator;
}

/**
 * The forms of a class's RowKeys. A base class stands for its kinds, which may put their name before its parts or have
 * further parts behind them; and for kinds that no class declares, unless their name comes first.
 */
function rowTemplatesOf(model: EntityModel): readonly KeyTemplate[] {
  const { rowKey } = model;
  const kinds = kindsOf(model);
  if (kinds.length === 0) return rowKey.parts.length === 0 ? [] : [rowKey];
  const forms = kinds.map((kind) => kind.rowKey);
  if (kinds.some(({ kind }) => kind?.key === "prefix")) return forms;
  // Nothing is known of a base's rows where it has no parts of its own.
  if (rowKey.parts.length === 0) return [];
  const longer = { ...rowKey, parts: [...rowKey.parts, furtherParts] };
  const isOther = forms.some(({ separator }) => separator !== rowKey.separator);
  return [...(isOther ? forms : []), rowKey, longer];
}

/** The kinds of a base class; of rows in an index, as they are in it. */
function kindsOf({ kind, entityClass, index }: EntityModel): readonly EntityModel[] {
  if (kind !== undefined) return [];
  const kinds = [...kindsBelow(entityClass).values()];
  if (index === undefined) return kinds;
  return kinds.flatMap((each) => findIndex(each, index)?.rows ?? []);
}

const furtherParts: KeyPart = { property: undefined, format: verbatim };
