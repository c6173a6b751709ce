import type { EntityClass } from "./entity-definition.ts";

/** The class whose instance is being built to receive stored values, so that its initial ones need not be made. */
let building: EntityClass | undefined;

/**
 * Builds an instance for stored values; constructors of generated classes leave their properties alone.
 *
 * @param prototype - of the instance, in the place of the class's own
 */
export function buildBlank(entityClass: EntityClass, prototype?: object): object {
  const outer = building;
  building = entityClass;
  try {
    if (prototype === undefined) return new (entityClass as new () => object)();
    return Reflect.construct(
      entityClass,
      [],
      Object.assign(function target() {}, { prototype }),
    ) as object;
  } finally {
    building = outer;
  }
}

/** Whether this instance is being built for stored values. */
export const isBlank = (entity: object): boolean => building !== undefined && entity.constructor === building;
