import { kindsBelow } from "@partita/core/internal";
import { type EntityClass, type EntityModel, modelOf } from "@partita/core/models";
import { match } from "./match.ts";

/** A class of either release, or of both. */
export interface ClassPair {
  readonly table: string;
  readonly old: EntityModel | undefined;
  readonly new: EntityModel | undefined;
}

/** Matches the classes of two releases. */
export function pairClasses(
  older: readonly EntityClass[],
  newer: readonly EntityClass[],
): readonly ClassPair[] {
  return match(models(older), models(newer)).map((pair) => ({
    table: (pair.old ?? pair.new)?.table ?? "",
    ...pair,
  }));
}

/** Classes with rows of their own; rows of a base class belong to its kinds. */
const models = (classes: readonly EntityClass[]): EntityModel[] =>
  classes.filter((each) => kindsBelow(each).size === 0).map(modelOf);
