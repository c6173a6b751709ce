/** The record of an entity in the context that tracks it. */
export interface Owner {
  /** Shared by all entities of that context; undefined once the context no longer tracks the entity. */
  readonly home: object | undefined;
}

/** A constructor that returns its argument, so a subclass adds its private field to that object. */
class Given {
  constructor(entity: object) {
    // oxlint-disable-next-line no-constructor-return -- this is what it is for
    return entity;
  }
}

/**
 * The owner of an entity, as a private field of the entity. Other code cannot see it, and it has no measurable cost,
 * while an entry of a WeakMap costs as much as all other tracking of an entity (docs/benchmarks.md).
 */
class Owned extends Given {
  #owner: Owner | undefined;

  static of(entity: unknown): Owner | undefined {
    // Callers may pass a value that is not an entity.
    return typeof entity === "object" && entity !== null && #owner in entity ? entity.#owner : undefined;
  }

  static set(entity: object, owner: Owner | undefined): void {
    // The value is used, because a bundler removes a constructor call if its value is unused.
    const owned = #owner in entity ? entity : new Owned(entity);
    owned.#owner = owner;
  }
}

/** The record of an instance. If several contexts track it, the record of the one it was added to last. */
export const ownerOf = (entity: object): Owner | undefined => Owned.of(entity);

/** Sets the record of an instance, or that no context tracks it. */
export const setOwner = (entity: object, owner: Owner | undefined): void => Owned.set(entity, owner);
