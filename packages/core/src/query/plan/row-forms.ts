// `plan-query.ts` asks this file which forms the RowKeys of a class have: those of a base class include its kinds'.

import type { KeyPart, KeyTemplate } from "../../values/keys/key-template.ts";
import { verbatim } from "../../values/keys/verbatim.ts";
import { type EntityModel, findIndex } from "../../model/declaration/entity-model.ts";
import { kindsBelow } from "../../model/declaration/model-registry.ts";

/** The forms of RowKey that rows of a class may have. */
export interface RowForms {
  readonly templates: readonly KeyTemplate[];
  /** Whether the class has kinds below it. */
  readonly isBase: boolean;
  /** Whether a range of RowKeys may hold rows of other classes; the range then decides nothing. */
  readonly mayReachIntoOthers: boolean;
}

/** Not remembered, since a kind may be declared later. */
export function rowFormsOf(model: EntityModel): RowForms {
  const kinds = kindsOf(model);
  const isBase = model.index === undefined && model.kind === undefined && kinds.length > 0;
  return {
    templates: templatesOf(model, kinds),
    isBase,
    mayReachIntoOthers: isBase && mayReachIntoOthers(model.rowKey),
  };
}

/**
 * Whether a range for the keys of kinds that have further parts may hold keys of other kinds, because their last part
 * of the base contains the separator: then rows are checked by the parts that their own class reads.
 */
function mayReachIntoOthers({ parts, separator }: KeyTemplate): boolean {
  const last = parts.at(-1)?.format;
  return last !== undefined && last.width === undefined && last.separator !== separator;
}

/**
 * The forms of a class's RowKeys. A base class includes its kinds, which may put their name before its parts or have
 * further parts after them; and kinds that no class declares, unless their name comes first.
 */
function templatesOf({ rowKey }: EntityModel, kinds: readonly EntityModel[]): readonly KeyTemplate[] {
  if (kinds.length === 0) return rowKey.parts.length === 0 ? [] : [rowKey];
  const forms = kinds.map((kind) => kind.rowKey);
  if (kinds.some(({ kind }) => kind?.key === "prefix")) return forms;
  // Nothing is known of a base's rows where it has no parts of its own.
  if (rowKey.parts.length === 0) return [];
  const longer = { ...rowKey, parts: [...rowKey.parts, furtherParts] };
  const isOther = forms.some(({ separator }) => separator !== rowKey.separator);
  return [...(isOther ? forms : []), rowKey, longer];
}

/** The kinds of a base class; for index rows, in their form in the index. */
function kindsOf({ kind, entityClass, index }: EntityModel): readonly EntityModel[] {
  if (kind !== undefined) return [];
  const kinds = [...kindsBelow(entityClass).values()];
  if (index === undefined) return kinds;
  return kinds.flatMap((each) => findIndex(each, index)?.rows ?? []);
}

const furtherParts: KeyPart = { property: undefined, format: verbatim };
