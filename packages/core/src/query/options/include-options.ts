import { accepted } from "../../values/options/checks.ts";
import { type CheckOptions, defineOptions } from "../../values/options/define-options.ts";
import type { ChildrenOf } from "../../model/declaration/children.ts";
import type { EntityModel } from "../../model/declaration/entity-model.ts";

/** The relations an `include` callback chooses from. */
export type Relations<Entity> = {
  readonly [K in ChildrenOf<Entity>]: { readonly relation: K };
};

/** What a query with children returns: the parent, whose children are there. */
export type WithChildren<Result, Entity, Name extends keyof Entity> = Result & {
  readonly [K in Name]-?: Exclude<Entity[K], undefined>;
};

/** How children are read with their parents. */
export interface IncludeOptions {
  /**
   * What happens to a child whose parent is not stored: it is left out, with a process warning `PARTITA_ORPHAN` once a
   * class (default); it ends the query with a QueryError `query.orphan` (`"error"`); or it is handed to a function.
   */
  readonly onOrphan?: OrphanPolicy | undefined;
}

/** @throws OptionError `query.option` */
export const checkIncludeOptions: CheckOptions = defineOptions<IncludeOptions>(
  "include(relation, options)",
  {
    onOrphan: accepted('"error", or a function', (value) => value === "error" || typeof value === "function"),
  },
  "query.option",
);

/** What happens to children without a stored parent. */
export type OrphanPolicy = "error" | ((child: object) => void);

/** Which children a query takes along. */
export interface Inclusion {
  readonly property: string;
  readonly parent: EntityModel;
  readonly child: EntityModel;
  readonly onOrphan: OrphanPolicy | undefined;
}
