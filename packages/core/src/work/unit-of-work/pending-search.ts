import { findPending, type PendingEntity } from "./change-set.ts";
import {
  compareLists,
  type ListProblem,
  type MemberTracker,
  withMembers,
  withNewParents,
} from "./compare-lists.ts";
import { inOrder, type IdentityMap } from "./identity-map.ts";
import type { TrackedEntity } from "./tracked-entity.ts";

/**
 * Finds the entities with work for a save. Saves and `pendingChanges()` use it.
 *
 * Automatic tracking compares every tracked entity, since the program may have edited any of them. One save does that
 * once, and again only after hooks or validators ran. After other waits, only the entities that were found are compared
 * again; edits made elsewhere meanwhile stay pending for the next save. With a scope, or with explicit tracking, it
 * only looks at the named or marked entities.
 */
export class PendingSearch {
  readonly #tracker: MemberTracker;
  readonly #entities: IdentityMap;
  readonly #isExplicit: boolean;
  readonly #scope: (() => Iterable<TrackedEntity>) | undefined;
  #found: readonly PendingEntity[] | undefined;
  /** Owned lists that cannot be saved, as of the last full comparison. */
  problems: readonly ListProblem[] = [];

  /** @param scope - the entities that may be sent at the time of the call, in any order; all when absent */
  constructor(tracker: MemberTracker, scope?: () => Iterable<TrackedEntity>) {
    this.#tracker = tracker;
    this.#entities = tracker.entities;
    this.#isExplicit = tracker.isExplicit;
    this.#scope =
      scope &&
      (() => (this.#entities.hasLists ? withNewParents(tracker, withMembers(tracker, scope())) : scope()));
  }

  /** Whether only some entities may be sent. */
  get isScoped(): boolean {
    return this.#scope !== undefined;
  }

  /** Looks at every entity in scope, in the order of their arrival. */
  everything(): PendingEntity[] {
    // With explicit tracking, a list is a view: only named changes count.
    if (!this.#isExplicit && this.#entities.parents().size > 0)
      this.problems = compareLists(this.#tracker, this.parents());
    if (this.#scope !== undefined) return this.#pendingOf(this.#scope());
    if (this.#isExplicit) return this.#pendingOf(this.#entities.withWork());
    return (this.#found = findPending(this.#entities.values(), false));
  }

  /** Searches again, but compares only the entities that were found, marked or added since the last full comparison. */
  again(): PendingEntity[] {
    if (this.#found === undefined) return this.everything();
    const former = this.#found.flatMap(({ entry }) => (entry.home === undefined ? [] : [entry]));
    return this.#pendingOf([...this.#entities.withWork(), ...former]);
  }

  /** Entities that may be parents of children that were never added. */
  parents(): Iterable<TrackedEntity> {
    return this.#scope?.() ?? this.#entities.parents();
  }

  #pendingOf(candidates: Iterable<TrackedEntity>): PendingEntity[] {
    return findPending(inOrder([...new Set(candidates)]), this.#isExplicit);
  }
}
