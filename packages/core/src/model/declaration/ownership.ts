/** The record of an entity in the context that tracks it. */
export interface Owner {
  /** What all entities of that context share; undefined once it has let the entity go. */
  readonly home: object | undefined;
}

/** A constructor that hands back what it is given, so that a subclass adds its private field to that. */
class Given {
  constructor(entity: object) {
    // oxlint-disable-next-line no-constructor-return -- this is what it is for
    return entity;
  }
}

/**
 * The owner of an entity, as a private field of the entity: nobody sees it, and it costs nothing measurable, where an entry
 * of a WeakMap costs as much as all other tracking of an entity (docs/benchmarks.md).
 */
class Owned extends Given {
  #owner: Owner | undefined;

  static of(entity: unknown): Owner | undefined {
    // Whoever was handed something that is no entity asks this first.
    return typeof entity === "object" && entity !== null && #owner in entity ? entity.#owner : undefined;
  }

  static set(entity: object, owner: Owner | undefined): void {
    // Used by its value: a bundler takes a constructor whose value nobody uses for one without effect.
    const owned = #owner in entity ? entity : new Owned(entity);
    owned.#owner = owner;
  }
}

/** The record of an instance; of several contexts, in the one that it was added to last. */
export const ownerOf = (entity: object): Owner | undefined => Owned.of(entity);

/** Notes the record of an instance, or that no context tracks it. */
export const setOwner = (entity: object, owner: Owner | undefined): void => Owned.set(entity, owner);
