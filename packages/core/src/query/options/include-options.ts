import { accepted } from "../../values/options/checks.ts";
import { type CheckOptions, defineOptions } from "../../values/options/define-options.ts";
import type { IsChildren } from "../../model/declaration/children.ts";

/** The relations that an `include` callback chooses from. */
export type Relations<Entity> = {
  readonly [K in keyof Entity as IsChildren<Entity[K]> extends true ? K : never]-?: {
    readonly relation: K;
  };
};

/** Chooses a list of children: `(order) => order.lines`. */
export type ChooseList<Entity, Name extends string> = (relations: Relations<Entity>) => {
  readonly relation: Name;
};

/** The result of a query with children: the parent, with its children loaded. */
export type WithChildren<Result, Entity, Name extends keyof Entity> = [Name] extends [never]
  ? Result
  : Result & { [K in Name]-?: Exclude<Entity[K], undefined> };

/** The lists that a query has included: `select` leaves them in its result. */
export type ListsIn<Entity, Result> = [Entity] extends [Result]
  ? unknown
  : Result extends Entity & (infer Lists)
    ? Lists
    : unknown;

/** How children are read with their parents. */
export interface IncludeOptions<Name extends string = string> {
  /**
   * Reads only these properties of the children, and their keys.
   *
   * ```ts
   * const orders = context.query(Order).where({ tenant: "acme" });
   * const [first] = await orders.include((each) => each.lines, { select: ["sku"] }).toArray();
   * ```
   */
  readonly select?: readonly Name[] | undefined;
  /**
   * How a child without a stored parent is handled: by default it is left out, with a process warning `PARTITA_ORPHAN`
   * once per class; `"error"` ends the query with a QueryError `query.orphan`; a function is called with the child.
   *
   * ```ts
   * const orders = context.query(Order).where({ tenant: "acme" });
   * const [first] = await orders.include((each) => each.lines, { onOrphan: "error" }).toArray();
   * ```
   */
  readonly onOrphan?: OrphanPolicy | undefined;
}

/** @throws OptionError `query.option` */
export const checkIncludeOptions: CheckOptions = defineOptions<IncludeOptions>(
  "include(relation, options)",
  {
    select: accepted(
      "a list of names",
      (value) => Array.isArray(value) && value.every((name) => typeof name === "string"),
    ),
    onOrphan: accepted('"error", or a function', (value) => value === "error" || typeof value === "function"),
  },
  "query.option",
);

/** How children without a stored parent are handled. */
export type OrphanPolicy = "error" | ((child: object) => void);
