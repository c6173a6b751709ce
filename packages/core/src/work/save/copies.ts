// Copies of entities for callers' code: validators, and functions that choose between two sides of a conflict.

import { isDate, isUint8Array } from "../../values/errors/built-ins.ts";
import { buildObject, memberValues } from "../../model/declaration/embedded-object.ts";
import {
  type EmbeddedModel,
  type EntityModel,
  findEmbedded,
  type PropertyModel,
  propertyNames,
} from "../../model/declaration/entity-model.ts";
import { isEntity, modelOfEntity } from "../../model/declaration/model-registry.ts";

type Values = Record<string, unknown>;

/**
 * Copies share no stored mutable value with the entity. Nested values are copied level by level instead of recursively,
 * since JSON may be deep.
 */
export class Copies {
  /** Values that were already copied: an entity may be reached by several paths, even from itself. */
  readonly #known = new Map<object, object>();
  readonly #unfilled: (readonly [from: object, to: object, isData: boolean])[] = [];

  /**
   * An instance of the entity's class with its loaded properties and its other own properties; functions come from a
   * new instance, since the entity's own functions may refer to the entity.
   *
   * @param notLoaded - properties that the copy does not have
   */
  entity(entity: object, notLoaded: readonly string[] = []): object {
    const model = modelOfEntity(entity);
    const copy = blankFor(model, entity);
    this.#known.set(entity, copy);
    const source = entity as Values;
    const left = new Set([...notLoaded, ...Object.keys(copy).filter((name) => !(name in entity))]);
    for (const name of left) Reflect.deleteProperty(copy, name);
    for (const name of namesOf(model, entity)) {
      if (left.has(name)) continue;
      const value = source[name];
      if (typeof value === "function") continue;
      // A computed property without a setter is computed in the copy, too.
      const of = findEmbedded(model, name);
      const own =
        of === undefined ? this.property(findStored(model, name), value) : this.#embedded(of, value);
      Reflect.set(copy, name, own);
    }
    return copy;
  }

  /** A copy of an embedded object, or the object itself if its class cannot be built with its values. */
  #embedded(of: EmbeddedModel, object: unknown): unknown {
    if (typeof object !== "object" || object === null) return object;
    const own = object as Values;
    const values = memberValues(
      of,
      (leaf, member) => this.property(leaf, own[member]),
      (part, member) => this.#embedded(part, own[member]),
    );
    try {
      return buildObject(of, values);
    } catch {
      return object;
    }
  }

  /** The value of a property; of a field if there is no property, which is not stored. */
  property(property: PropertyModel | undefined, value: unknown): unknown {
    const copy = property !== undefined && isOfItsOwn(property, value) ? convert(property, value) : value;
    const isData = property?.serializer.isJson === true;
    return copy === value ? this.#filled(value, isData) : copy;
  }

  #filled(value: unknown, isData: boolean): unknown {
    const copy = this.#shellOf(value, isData);
    for (let next = this.#unfilled.pop(); next !== undefined; next = this.#unfilled.pop()) {
      const [from, to, isDataToo] = next;
      for (const name of Object.keys(from)) {
        const member = this.#shellOf((from as Values)[name], isDataToo);
        // A member may be called "__proto__".
        Object.defineProperty(to, name, { ...ownValue, value: member });
      }
    }
    return copy;
  }

  /** A copy without its members, which are filled in later. Values that are not data are returned unchanged. */
  #shellOf(value: unknown, isData: boolean): unknown {
    if (typeof value !== "object" || value === null) return value;
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    const copy = this.#newShell(value, isData);
    if (copy !== value) this.#known.set(value, copy);
    return copy;
  }

  #newShell(value: object, isData: boolean): object {
    if (isDate(value)) return withPrototypeOf(value, new Date(value.getTime()));
    if (isUint8Array(value)) return Uint8Array.prototype.slice.call(value);
    const prototype: unknown = Object.getPrototypeOf(value);
    const isPlain = prototype === Object.prototype || prototype === null || Array.isArray(value);
    if (!isPlain && isEntity(value)) return this.entity(value);
    // Instances of other classes are copied by their members only in JSON properties, where the members are stored.
    if (!isPlain && !(isData && Object.keys(value).length > 0)) return value;
    const copy: object = Array.isArray(value)
      ? Array.from({ length: value.length })
      : (Object.create(prototype as object | null) as object);
    this.#unfilled.push([value, copy, isData]);
    return copy;
  }
}

const ownValue = { configurable: true, enumerable: true, writable: true };

const withPrototypeOf = <Value extends object>(value: Value, copy: Value): Value =>
  Object.getPrototypeOf(value) === Object.getPrototypeOf(copy)
    ? copy
    : (Object.setPrototypeOf(copy, Object.getPrototypeOf(value) as object) as Value);

/** A new instance to fill in. If it cannot be built or filled, an object with the entity's prototype. */
function blankFor({ createBlank }: EntityModel, entity: object): object {
  const prototype = Object.getPrototypeOf(entity) as object;
  try {
    const blank = createBlank();
    if (Object.isExtensible(blank) && Object.getPrototypeOf(blank) === prototype) return blank;
  } catch {
    // Its constructor needs arguments, so such an entity can only be added.
  }
  return Object.create(prototype) as object;
}

const namesOf = (model: EntityModel, entity: object): ReadonlySet<string> =>
  new Set([...propertyNames(model), ...Object.keys(entity)]);

/** The stored property of this name. */
export const findStored = ({ properties }: EntityModel, name: string): PropertyModel | undefined =>
  properties.find((property) => property.name === name);

/** Whether only the property's serializer can make such a value: an instance of a converter's class. */
const isOfItsOwn = ({ serializer }: PropertyModel, value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  serializer.isJson !== true &&
  !isDate(value) &&
  !isUint8Array(value);

/** The value that is read after this one was stored, or the value itself if it cannot be stored. */
function convert({ serializer, path }: PropertyModel, value: unknown): unknown {
  try {
    const stored = serializer.encode(value, path);
    return serializer.decode(stored, serializer.isAnnotated(stored) ? serializer.edm : undefined, path);
  } catch {
    return value;
  }
}
