import { shared } from "../errors/brand.ts";
import type { EntityClass } from "./entity-definition.ts";

/**
 * The class whose instance is being built to receive stored values, so that its initial ones need not be made. Shared, since
 * the class may be of another copy of this package.
 */
const building: { class: EntityClass | undefined } = shared("building", () => ({ class: undefined }));

/**
 * Builds an instance for stored values; constructors of generated classes leave their properties alone.
 *
 * @param prototype - of the instance, in the place of the class's own
 */
export function buildBlank(entityClass: EntityClass, prototype?: object): object {
  const outer = building.class;
  building.class = entityClass;
  try {
    if (prototype === undefined) return new (entityClass as new () => object)();
    return Reflect.construct(
      entityClass,
      [],
      Object.assign(function target() {}, { prototype }),
    ) as object;
  } finally {
    building.class = outer;
  }
}

/** Whether this instance is being built for stored values. */
export const isBlank = (entity: object): boolean =>
  building.class !== undefined && entity.constructor === building.class;
