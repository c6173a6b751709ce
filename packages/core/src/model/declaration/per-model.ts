import type { EntityModel } from "./entity-model.ts";

const madeOf = new WeakMap<EntityModel, unknown[]>();
let places = 0;

/**
 * Caches a value that a layer derives from a model on first use, such as a codec or a set of names: `const namesOf =
 * perModel((model) => new Set(propertyNames(model)))`. It lives as long as the model.
 */
export function perModel<Made extends object>(
  make: (model: EntityModel) => Made,
): (model: EntityModel) => Made {
  const place = places++;
  return (model) => {
    let made = madeOf.get(model);
    if (made === undefined) madeOf.set(model, (made = []));
    return (made[place] ??= make(model)) as Made;
  };
}
