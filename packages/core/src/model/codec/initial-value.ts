import { isAbsent } from "./is-absent.ts";
import { brand, hasBrand } from "../../values/errors/brand.ts";
import type { SnapshotValue } from "../../values/edm/serializer.ts";
import type { StoredValue } from "../../values/edm/stored-entity.ts";
import type { PropertyModel } from "../declaration/entity-model.ts";

/**
 * Represents a value in a snapshot that the row lacks and the entity has from its own constructor: until it is
 * edited, it is no change. It is stored when the complete row is replaced.
 */
export class InitialValue {
  static {
    brand(this, "InitialValue");
  }

  /** Whether a value is one, of any copy of this package. */
  static is(value: unknown): value is InitialValue {
    return hasBrand(value, this);
  }

  readonly #value: unknown;
  readonly #stored: StoredValue | undefined;
  /** The snapshot value once it is stored; undefined if it cannot be. */
  readonly snapshotValue: SnapshotValue;

  constructor({ serializer, path }: PropertyModel, value: unknown) {
    this.#value = value;
    try {
      this.#stored = serializer.encode(value, path);
      const annotation = serializer.isAnnotated(this.#stored) ? serializer.edm : undefined;
      this.snapshotValue = serializer.keep(this.#stored, value, annotation);
    } catch {
      // No edit, so no save is refused for it.
      this.#stored = undefined;
    }
  }

  /** Whether this is the value the entity began with. */
  isUnchanged({ serializer }: PropertyModel, value: unknown): boolean {
    if (Object.is(value, this.#value) && isPlain(value)) return true;
    return this.#stored === undefined
      ? Object.is(value, this.#value)
      : serializer.isUnchanged(this.snapshotValue, value);
  }

  /** The value again; of an object, another one that is equal to it. */
  valueOf({ serializer, path }: PropertyModel): unknown {
    const stored = this.#stored;
    if (stored === undefined || isPlain(this.#value)) return this.#value;
    return serializer.decode(stored, serializer.isAnnotated(stored) ? serializer.edm : undefined, path);
  }

  /** Whether it represents this value, so one object can be shared by all entities with the same initial value. */
  standsFor(value: unknown): boolean {
    return isPlain(value) && Object.is(value, this.#value);
  }
}

const isPlain = (value: unknown): boolean => typeof value !== "object";

/** The snapshot value of a property that the row lacks: undefined if the entity has no value either. */
export function keepInitial(property: PropertyModel, value: unknown): SnapshotValue {
  if (isAbsent(property, value)) return undefined;
  const known = property.lastInitial.made as InitialValue | undefined;
  if (known?.standsFor(value) === true) return known;
  const made = new InitialValue(property, value);
  if (isPlain(value)) property.lastInitial.made = made;
  return made;
}
