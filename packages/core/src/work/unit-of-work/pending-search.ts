import { findPending, type PendingEntity } from "./change-set.ts";
import { inOrder, type IdentityMap } from "./identity-map.ts";
import type { TrackedEntity } from "./tracked-entity.ts";

/** Which entities a save may send, as of now; in any order. */
export type Scope = () => Iterable<TrackedEntity>;

/** The entities that are searched. */
interface Searched {
  readonly entities: IdentityMap;
  /** Whether only properties named by `update()` are saved. */
  readonly isExplicit: boolean;
}

/**
 * Finds the entities that one save has work for. Saves and `pendingChanges()` use it.
 *
 * Automatic tracking compares every tracked entity, since the program may have edited any of them through a reference
 * of its own. One save does that once, and again only after hooks or validators ran. After other waits, only the
 * entities that were found are compared again; edits made elsewhere meanwhile stay pending for the next save. A
 * scope, or explicit tracking, looks only at the entities that it names or that were marked.
 */
export class PendingSearch {
  readonly #searched: Searched;
  readonly #scope: Scope | undefined;
  #found: readonly PendingEntity[] | undefined;

  /** @param scope - all entities when absent */
  constructor(searched: Searched, scope?: Scope) {
    this.#searched = searched;
    this.#scope = scope;
  }

  /** Looks at every entity in scope, in the order they came. */
  everything(): PendingEntity[] {
    const { isExplicit } = this.#searched;
    const found = findPending(this.#candidates(), isExplicit);
    if (this.#scope === undefined && !isExplicit) this.#found = found;
    return found;
  }

  /** The same, where only the entities that were found, marked or added since the last full comparison are compared. */
  again(): PendingEntity[] {
    if (this.#found === undefined) return this.everything();
    const { entities, isExplicit } = this.#searched;
    const candidates = new Set(entities.withWork());
    for (const { entry } of this.#found) if (entry.home !== undefined) candidates.add(entry);
    return findPending(inOrder([...candidates]), isExplicit);
  }

  /** Entities that may be parents of children that were never added. */
  parents(): Iterable<TrackedEntity> {
    return this.#scope?.() ?? this.#searched.entities.parents();
  }

  #candidates(): readonly TrackedEntity[] {
    const { entities, isExplicit } = this.#searched;
    if (this.#scope !== undefined) return inOrder([...new Set(this.#scope())]);
    return isExplicit ? entities.withWork() : entities.values();
  }
}
