/**
 * Stands for the entities of a context, for as long as the context is in memory. It is referred to weakly in place of
 * them: collections of young objects treat such references as strong ones.
 */
export interface Owner {
  /** The context has dropped everything. */
  isOver: boolean;
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
  #owner: WeakRef<Owner> | undefined;

  static of(entity: unknown): WeakRef<Owner> | undefined {
    // Whoever was handed something that is no entity asks this first.
    return typeof entity === "object" && entity !== null && #owner in entity ? entity.#owner : undefined;
  }

  static set(entity: object, owner: WeakRef<Owner> | undefined): void {
    // Used by its value: a bundler takes a constructor whose value nobody uses for one without effect.
    const owned = #owner in entity ? entity : new Owned(entity);
    owned.#owner = owner;
  }
}

/** Which context's entities an instance is one of; of several, those it was added to last. */
export const ownerOf = (entity: object): WeakRef<Owner> | undefined => Owned.of(entity);

/** Makes an instance one of a context's entities, or of none. */
export const setOwner = (entity: object, owner: WeakRef<Owner> | undefined): void => Owned.set(entity, owner);
