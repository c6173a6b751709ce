declare const toMany: unique symbol;

/**
 * The children of an entity: entities of another kind in its partition whose RowKey starts with the parent's. `include`
 * fills them; they are never stored with the parent.
 */
export interface Children<Child> extends ReadonlyArray<Child> {
  readonly [toMany]: Child;
}

/** The properties of a class that hold children. */
export type ChildrenOf<Entity> = {
  [K in keyof Entity]-?: Exclude<Entity[K], undefined> extends Children<unknown> ? K : never;
}[keyof Entity];
