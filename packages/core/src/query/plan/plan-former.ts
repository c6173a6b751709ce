// `planned-query.ts` calls this file for classes with `formerKeys`: it plans the same query over the former keys.

import { type KindChooser, kindChooser } from "../../model/codec/choose-kind.ts";
import { type FormerKeys, formerKeysOf } from "../../model/codec/former-keys.ts";
import type { EntityModel } from "../../model/declaration/entity-model.ts";
import type { AnyDerivedFormat } from "../../values/keys/derived-format.ts";
import type { KeyPart } from "../../values/keys/key-template.ts";
import type { FilterNode } from "../../values/filter/filter-node.ts";
import type { Conditions } from "./conditions.ts";
import { planQuery } from "./plan-query.ts";
import type { FormerPlan } from "./query-plan.ts";

/** The plan over former keys; undefined where no requested class has any. */
export function planFormer(
  { models, maySkip }: KindChooser,
  conditions: Conditions,
  raw: FilterNode | undefined,
): FormerPlan | undefined {
  const moving = models.flatMap((present) => {
    const former = formerKeysOf(present);
    return former === undefined ? [] : [{ present, former }];
  });
  const [only, another] = moving;
  if (only === undefined) return undefined;
  const kinds = moving.map(({ former: { model } }) => ({
    model,
    predicate: conditions.for(model),
    // Conditions on one kind are those of its present class.
    isPartial: conditions.list.some(({ kind }) => kind !== undefined),
  }));
  const own = kindChooser(kinds.map(({ model }) => model.entityClass));
  const chooser = { ...own, maySkip: maySkip || own.maySkip };
  const isInOrder =
    another === undefined && models.length === 1 && hasSameOrder(only.present, only.former.model);
  return {
    plan: planQuery(chooser, kinds, raw),
    isInOrder,
    isShared: moving.some(({ former }) => former.isSameTable),
    keyAt: ([rowKey, partitionKey]) => keyAt(only.former, { rowKey, partitionKey }),
  };
}

function keyAt(former: FormerKeys, key: { readonly rowKey: string; readonly partitionKey: string }) {
  const [first, another] = former.keysAt(key);
  return first === undefined || another !== undefined
    ? undefined
    : ([first.rowKey, first.partitionKey] as const);
}

/**
 * Whether rows that are in order of their former keys are in order of their present ones: the keys begin with the same
 * parts, and all others are of one property, in one direction.
 */
function hasSameOrder(present: EntityModel, former: EntityModel): boolean {
  if (present.kind?.key !== undefined || present.partitionKey.separator !== former.partitionKey.separator)
    return false;
  const [own, others] = [partsOf(present), partsOf(former)];
  const isSame = (part: KeyPart | undefined, i: number): boolean =>
    part?.property === others[i]?.property && part?.format.format === others[i]?.format.format;
  const from = own.findIndex((part, i) => !isSame(part, i));
  const rest = [own, others].map((parts) => parts.slice(from));
  const orders = rest.flatMap((parts) => parts.map(orderOf));
  const isWhole = rest.every((parts) => parts.length > 0 && parts.at(-1)?.isDerived !== true);
  // Equal parts are equal only within one key: what follows them in both has to be in the same one.
  const isInPartition = [present, former].every(({ partitionKey }) => from <= partitionKey.parts.length);
  return from >= 0 && isWhole && isInPartition && new Set(orders).size === 1 && orders[0] !== undefined;
}

const partsOf = ({ partitionKey, rowKey }: EntityModel): readonly KeyPart[] =>
  [...partitionKey.parts, ...rowKey.parts].filter(({ format }) => format.literal === undefined);

/** The property that a part sorts by, and the direction; undefined if they are unknown. */
function orderOf({ property, format }: KeyPart): string | undefined {
  const { pattern, slices, isDerived } = format as AnyDerivedFormat;
  if (isDerived) return slices && `${property} ${slices.isNewestFirst ? "falls" : "rises"}`;
  if (pattern === "prepend-only") return `${property} falls`;
  return pattern === "append-only" ? `${property} rises` : undefined;
}
