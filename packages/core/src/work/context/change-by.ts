import { StateError } from "../../values/errors/state-error.ts";

/**
 * Calls a function that changes an entity, and waits for it.
 *
 * @throws StateError `entity.returned-copy` if it returns values instead, which would be ignored
 */
export async function changeBy(
  call: string,
  entity: object,
  change: (entity: never) => unknown,
): Promise<void> {
  const returned = await change(entity as never);
  if (!isCopyOf(entity, returned)) return;
  throw new StateError(
    "entity.returned-copy",
    `The function of ${call} returned an object with values, which would be ignored. Change the entity that it is given: (entity) => { entity.name = value; }, or Object.assign(entity, values).`,
    { call },
  );
}

/** Whether a value is a plain object of an entity's properties, such as `{ ...account, balance: 5 }`. */
function isCopyOf(entity: object, value: unknown): value is object {
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return false;
  const names = Object.keys(value);
  const isValue = Object.values(entity).includes(value);
  return !isValue && names.length > 0 && names.every((name) => Object.hasOwn(entity, name));
}
