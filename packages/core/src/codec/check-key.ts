import { KeyError } from "../errors/key-error.ts";
import { describeType } from "../errors/serialization-error.ts";
import type { EntityModel } from "../model/entity-model.ts";

/**
 * Refuses what is no key: parts are named, since a key may have several of them.
 *
 * @throws KeyError `key.not-an-object`, showing the key that is needed
 */
export function checkKeyValues(call: string, model: EntityModel, key: unknown): void {
  if (typeof key === "object" && key !== null && !Array.isArray(key)) return;
  throw notAnObject(
    model,
    `${call} takes the key of ${model.name} as an object, but got ${describeType(key)}`,
  );
}

/** Refuses what is no list of keys. @throws KeyError `key.not-an-object` */
export function checkKeyList(call: string, model: EntityModel, keys: unknown): void {
  if (!Array.isArray(keys))
    throw notAnObject(model, `${call} takes a list of keys, but got ${describeType(keys)}`);
  for (const key of keys) checkKeyValues(call, model, key);
}

/** Refuses what names no values for a new entity. @throws KeyError `key.not-an-object` */
export function checkValues(model: EntityModel, values: unknown): void {
  if (typeof values === "object" && values !== null && !Array.isArray(values)) return;
  throw notAnObject(
    model,
    `create(Class, values) takes the values of the new ${model.name} as an object, but got ${describeType(values)}`,
  );
}

function notAnObject({ name, partitionKey, rowKey }: EntityModel, problem: string): KeyError {
  const parts = [partitionKey, rowKey].flatMap((template) => template.parts);
  const names = parts.flatMap(({ property, format }) =>
    property === undefined || format.literal !== undefined ? [] : [property],
  );
  return new KeyError(
    "key.not-an-object",
    `${problem}. Its key is { ${[...new Set(names)].map((each) => `${each}: …`).join(", ")} }.`,
    { entity: name, parts: names },
  );
}
