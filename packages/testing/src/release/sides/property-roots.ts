import { rootOf } from "@partita/core/internal";
import type { EmbeddedModel, EntityModel, PropertyModel } from "@partita/core/models";
import { type GivenValues, objectPool, propertyPool } from "./value-pools.ts";

/** A property of a class; an embedded object counts as one. */
export interface PropertyRoot {
  readonly name: string;
  /** The stored names of its values. */
  readonly storedNames: readonly string[];
  /** Its possible values, as plain data. */
  readonly pool: (given: GivenValues, seed: number) => unknown[];
}

/** The properties of a class that programs write, without those that a save fills. */
export function propertyRoots({ properties }: EntityModel): readonly PropertyRoot[] {
  const objects = new Map<EmbeddedModel, PropertyModel[]>();
  const roots: PropertyRoot[] = [];
  for (const property of properties) {
    const { place, name, storedName, onSave } = property;
    if (place !== undefined) {
      const of = rootOf(place.of);
      objects.set(of, [...(objects.get(of) ?? []), property]);
    } else if (onSave === undefined)
      roots.push({
        name,
        storedNames: [storedName],
        pool: (given, seed) => propertyPool(property, given, seed),
      });
  }
  for (const [of, leaves] of objects)
    roots.push({
      name: of.name,
      storedNames: leaves.map(({ storedName }) => storedName),
      pool: (given, seed) => objectPool(of, given, seed),
    });
  return roots;
}

/** The properties that determine a row's key, including the sources of derived key parts. They never change. */
export function identityNames({ keyProperties, derivedParts, options }: EntityModel): readonly string[] {
  const names = new Set(keyProperties.map(({ name }) => name));
  for (const { part } of derivedParts) if (part.property !== undefined) names.add(part.property);
  if (options.scopedBy !== undefined) names.add(options.scopedBy);
  return [...names];
}
