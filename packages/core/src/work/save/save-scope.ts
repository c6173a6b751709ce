import type { IdentityMap } from "../unit-of-work/identity-map.ts";
import type { Scope } from "../unit-of-work/pending-search.ts";

/** The entities that `saveChanges({ only })` may send: those of its list, and those that hooks add while it runs. */
export function scopeOf(entities: IdentityMap, only: ReadonlySet<object>): Scope {
  const arrivals = entities.collectArrivals();
  return () => [
    ...[...only].map((entity) => entities.ofEntity(entity)).filter((entry) => entry !== undefined),
    ...arrivals,
  ];
}
