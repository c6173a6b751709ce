import { kindsBelow } from "@partita/core/internal";
import type { EntityModel } from "@partita/core/models";
import { type DescribedName, describedNames } from "./described-names.ts";

/** The use of plain data: a response, a new entity, or changes of a stored one. */
type Use = "output" | "create" | "patch";

/** Plain data of a class, for one use. */
export interface Subject {
  readonly model: EntityModel;
  readonly use: Use;
  /** The class that has it in a list. */
  readonly parent?: EntityModel | undefined;
  /** Whether a client may set a name, among those that can be set. */
  readonly isAllowed: (name: string) => boolean;
}

/** A name in one use of the data. */
export interface UsedName extends DescribedName {
  readonly isRequired: boolean;
  readonly inner?: readonly UsedName[];
}

/**
 * The names that data for this use may have. Members of lists take the key parts of their parent implicitly.
 */
export function usedNames({ model, use, parent, isAllowed }: Subject): readonly UsedName[] {
  const isOfParent = (name: string): boolean =>
    parent?.keyProperties.some((part) => part.name === name) === true;
  const isUsed = ({ name, isSet }: DescribedName): boolean =>
    use === "output" || (isAllowed(name) && !isOfParent(name) && mayBeSet(isSet, use, parent));
  return describedNames(model)
    .filter(isUsed)
    .map((each) => used(each, use));
}

function used(name: DescribedName, use: Use): UsedName {
  const { inner, isNeeded, isAlwaysThere, isSet } = name;
  // Members of a patch are matched by their keys.
  const isRequired =
    use === "output" ? isAlwaysThere : isNeeded && (use === "create" || isSet === "when new");
  return { ...name, isRequired, ...(inner && { inner: inner.map((each) => used(each, use)) }) } as UsedName;
}

const mayBeSet = (isSet: DescribedName["isSet"], use: Use, parent: EntityModel | undefined): boolean =>
  isSet === "always" || (isSet === "when new" && (use === "create" || parent !== undefined));

/** The members of a list. All names that can be set are allowed in them. */
export const memberOf = ({ model, use }: Subject, members: EntityModel): Subject => ({
  model: members,
  use,
  parent: model,
  isAllowed: () => true,
});

/** The possible classes of the data: the class itself, or its kinds by name. */
export function kindsOf({ model }: Subject): readonly EntityModel[] {
  const below = new Set(kindsBelow(model.entityClass).values());
  return below.size === 0 ? [model] : [...(model.kind === undefined ? [] : [model]), ...below];
}
