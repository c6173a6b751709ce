import { type EntityModel, propertyNames } from "./entity-model.ts";

const knownNames = new WeakMap<EntityModel, ReadonlySet<string>>();

/**
 * Own enumerable properties of an entity that would be lost with it: they have a value, and are neither declared, nor
 * receive a system value, nor hold children, nor are marked as not stored. Functions are no data.
 */
export function undeclaredFields(model: EntityModel, entity: object): string[] {
  let known = knownNames.get(model);
  if (known === undefined) knownNames.set(model, (known = namesOf(model)));
  const lost: string[] = [];
  for (const name in entity) {
    if (known.has(name) || !Object.hasOwn(entity, name)) continue;
    const value = (entity as Readonly<Record<string, unknown>>)[name];
    if (value !== undefined && value !== null && typeof value !== "function") lost.push(name);
  }
  return lost;
}

const namesOf = (model: EntityModel): ReadonlySet<string> =>
  new Set([
    ...propertyNames(model),
    ...model.notStored,
    ...model.children.map(({ property }) => property),
    ...[model.etagProperty, model.timestampProperty].filter((name) => name !== undefined),
  ]);
