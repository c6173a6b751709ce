import type { EntityClass } from "./entity-definition.ts";

declare const toMany: unique symbol;

/**
 * The children of an entity: entities of another kind in its partition with a RowKey that starts with the parent's.
 * `include` fills the list. A list that its parent owns is saved with it; other lists are views of the rows that were
 * read.
 */
export interface Children<Child> extends Array<Child> {
  /** Never set; it distinguishes a list of children from other arrays. */
  readonly [toMany]?: Child;
}

/** Whether a type is that of a list of children. */
export type IsChildren<Value> = typeof toMany extends keyof Exclude<Value, undefined> ? true : false;

/** The properties of a class that hold children. */
export type ChildrenOf<Entity> = {
  [K in keyof Entity]-?: IsChildren<Entity[K]> extends true ? K : never;
}[keyof Entity];

/** The class of a list's members. */
export type ChildIn<List> =
  Exclude<List, undefined> extends Children<infer Child extends object> ? Child : never;

/** The class of a list's members, which are saved and deleted with their parent. */
export interface OwnedClass<Class extends EntityClass> {
  (): Class;
  readonly isOwned: true;
}

/**
 * Makes a list part of its parent: `children: { lines: owned(() => Line) }`. A save adds members that you put into the
 * list, and deletes members that you took out of it.
 *
 * ```ts
 * class Base extends defineEntity({
 *   table: "Orders",
 *   partitionKey: { tenant: text() },
 *   rowKey: { id: text() },
 *   properties: {},
 * }) {}
 * class Order extends defineKind(Base, { kind: "Order", children: { lines: owned(() => Line) } }) {}
 * class Line extends defineKind(Base, { kind: "Line", rowKey: { no: padded(4) } }) {}
 * ```
 */
export const owned = <Class extends EntityClass>(of: () => Class): OwnedClass<Class> =>
  Object.assign(() => of(), { isOwned: true as const });
