import type { StoredValue } from "../../values/edm/stored-entity.ts";
import type { PropertyPath } from "../../values/errors/serialization-error.ts";
import type { AnySerializer } from "../../values/edm/serializer.ts";

type Values = Readonly<Record<string, unknown>>;

/**
 * The initial values of a class's instances. Rows without a value are read with them. An instance is built on first
 * use: declaring a class runs no constructor.
 */
export class InitialValues {
  readonly #create: () => object;
  #first: Values | undefined;

  constructor(create: () => object) {
    this.#create = create;
  }

  /** Whether new instances have a value here. */
  has(name: string): boolean {
    return this.#firstInstance()[name] !== undefined;
  }

  /**
   * The value that every new instance has here, in stored form. Undefined if there is none, if two instances have
   * different ones (an id, the current time), and for objects, which differ for each instance.
   */
  stored(serializer: AnySerializer, path: PropertyPath): StoredValue | undefined {
    const value = this.#firstInstance()[path.property];
    if (!isPlain(value) || !Object.is(value, this.#instance()[path.property])) return undefined;
    try {
      return serializer.encode(value, path);
    } catch {
      // A save reports that it cannot be stored.
      return undefined;
    }
  }

  #firstInstance(): Values {
    return (this.#first ??= this.#instance());
  }

  /** A class that cannot be built is refused when an entity of it is read or created. */
  #instance(): Values {
    try {
      return this.#create() as Values;
    } catch {
      return {};
    }
  }
}

const isPlain = (value: unknown): boolean =>
  typeof value === "string" ||
  typeof value === "number" ||
  typeof value === "boolean" ||
  typeof value === "bigint";
