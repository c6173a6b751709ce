import type { Children as ChildrenList, EntityClass, KeyPartsOf, ModelError } from "@partita/core/models";
import { declareField } from "./declare.ts";
import type { CheckField, Returned } from "./field-decorator.ts";

/** A field decorator for a list of a class whose key begins with the owner's, as far as `Key<…>` shows. */
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
      ? CheckKeys<KeyPartsOf<OwnerOf<Target, Context>>, KeyPartsOf<Child>>
      : Problem
    : never;

type OwnerOf<Target, Context> = Context extends {
  readonly access: { get(owner: infer Owner): unknown };
}
  ? Owner
  : Target;

type CheckKeys<Own extends PropertyKey, Below extends PropertyKey> = [Below] extends [never]
  ? unknown
  : [Own] extends [Below]
    ? unknown
    : ModelError<`the key of children begins with the parent's: the children lack ${Exclude<Own, Below> & string}`>;

/**
 * A property that holds the children of an entity: entities of another kind in its partition, whose RowKey begins with
 * the parent's. Filled by `include`, never stored with the parent.
 *
 * @param of - the children's class; asked for when it is first needed, so that it may be declared further down
 */
export const Children =
  <Child extends object>(of: () => EntityClass<Child>): ChildrenField<Child> =>
  (target, context) =>
    declareField(target, context, (property, { children }) => children.push({ property, of }));

/** The type of a property that holds children. */
export type Children<Child> = ChildrenList<Child>;
