import type { IdentityMap } from "../unit-of-work/identity-map.ts";
import type { Scope } from "../unit-of-work/pending-search.ts";
import type { TrackedEntity } from "../unit-of-work/tracked-entity.ts";

/**
 * What `saveChanges({ only })` may send: the entities of its list, and those that hooks add while it runs. A removed row that is
 * there again is saved with the rest.
 */
export function scopeOf(entities: IdentityMap, only: ReadonlySet<object>): Scope {
  const arrivals = entities.collectArrivals();
  const isThereAgain = ({ intent, late }: TrackedEntity): boolean =>
    intent.type === "remove" && late.length > 0;
  return () => [
    ...[...only].map((entity) => entities.ofEntity(entity)).filter((entry) => entry !== undefined),
    ...[...arrivals].filter((entry) => !isThereAgain(entry)),
  ];
}
