import type {
  Children as ChildrenList,
  EntityClass,
  IsChildren,
  KeyPartsOf,
  ModelError,
} from "@partita/core/models";
import { checkDecoratorOptions } from "./check-arguments.ts";
import { declareField } from "./declare.ts";
import type { CheckField, Returned } from "./field-decorator.ts";

/**
 * A field decorator for a list of a class whose key starts with the owner's key, as far as `Key<…>` shows.
 */
type ChildrenField<Child> = <Target, const Context extends PropertyKey | { readonly kind: string }>(
  target: Target,
  context: Context,
) => Returned<CheckChildren<Target, Context, Child>>;

type CheckChildren<Target, Context, Child> =
  CheckField<
    Target,
    Context,
    ChildrenList<Child>,
    "@Children(() => Child) needs a property of type Children<Child>",
    boolean
  > extends infer Problem
    ? unknown extends Problem
      ? IsChildren<PropertyOf<Target, Context>> extends true
        ? CheckKeys<KeyPartsOf<OwnerOf<Target, Context>>, KeyPartsOf<Child>>
        : ModelError<"@Children(() => Child) needs a property of type Children<Child>">
      : Problem
    : never;

type OwnerOf<Target, Context> = Context extends {
  readonly access: { get(owner: infer Owner): unknown };
}
  ? Owner
  : Target;

type PropertyOf<Target, Context> = Context extends {
  readonly access: { get(owner: infer _Owner): infer Property };
}
  ? Property
  : Target[Context & keyof Target];

type CheckKeys<Own extends PropertyKey, Below extends PropertyKey> = [Below] extends [never]
  ? unknown
  : [Own] extends [Below]
    ? unknown
    : ModelError<`a child's key must start with its parent's key: the child class lacks ${Exclude<Own, Below> & string}`>;

/** How a list belongs to its parent. */
export interface ChildrenOptions {
  /**
   * If `true`, the list is part of its parent: a save adds and deletes its members. By default, the list only
   * shows the rows that were read.
   */
  readonly owned?: boolean;
}

/**
 * Holds the children of an entity: entities of another kind in the same partition, with RowKeys that start
 * with the parent's RowKey. `include` fills the list. With `{ owned: true }`, a save inserts the members that
 * you add to the list and deletes those that you take out.
 *
 * @example
 * ```ts
 * @Table("Sales")
 * abstract class SaleRow {
 *   @PartitionKey() shop!: Key<string>;
 *   @RowKey() id!: Key<string>;
 * }
 * @Kind("Line")
 * class SaleLine extends SaleRow {
 *   @RowKey(padded(3)) no!: Key<number>;
 * }
 * @Kind("Sale")
 * class Sale extends SaleRow {
 *   @Children(() => SaleLine, { owned: true }) lines?: Children<SaleLine>;
 * }
 * ```
 *
 * @param of - returns the child class; called on first use, so you can declare that class later in the file
 */
export const Children =
  <Child extends object>(of: () => EntityClass<Child>, options: ChildrenOptions = {}): ChildrenField<Child> =>
  (target, context) => {
    checkDecoratorOptions("Children", options, ["owned"]);
    declareField(target, context, (property, { children }) =>
      children.push({ property, of, isOwned: options.owned === true }),
    );
  };

/** The type of a property that holds children. */
export type Children<Child> = ChildrenList<Child>;
