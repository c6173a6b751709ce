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
    : ModelError<`the key of children begins with the parent's: the children lack ${Exclude<Own, Below> & string}`>;

/** How a list belongs to its parent. */
export interface ChildrenOptions {
  /** Whether the list is part of its parent: a save adds and removes its members. Otherwise it only shows what was read. */
  readonly owned?: boolean;
}

/**
 * A property that holds the children of an entity: entities of another kind in its partition, whose RowKey begins with
 * the parent's. `include` fills it. With `{ owned: true }`, a save adds members that were put into the list, and removes
 * members that were taken out of it.
 *
 * @param of - the children's class; asked for when it is first needed, so that it may be declared further down
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
