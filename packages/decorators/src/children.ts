import type { Children as ChildrenList, EntityClass } from "@partita/core/models";
import { declareField } from "./declare.ts";
import type { FieldDecorator } from "./field-decorator.ts";

type ChildrenField<Child> = FieldDecorator<
  ChildrenList<Child>,
  "@Children(() => Child) needs a property of type Children<Child>"
>;

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
