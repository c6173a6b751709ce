// A program may load this package twice: from node_modules, and within a bundled library. Each copy has its own
// classes, so the `instanceof` operator returns false for objects of the other. A brand is a symbol from the registry
// that all copies share. It is set on the prototype of a class, so an object has the brands of its class and of its
// base classes.

/**
 * The version of the contract between copies: branded classes, declarations of entities, snapshot values, and the port
 * to a storage. Copies with another version are not recognised. Raise it with every change that an older copy would
 * misread.
 */
const contract = 1;

/** A copy of the package, and the file that contains it. */
interface Copy {
  readonly contract: number;
  readonly url: string;
}

// Bundles in CommonJS form may not have a URL.
const { url = "a CommonJS bundle" } = import.meta as Partial<ImportMeta>;
const thisCopy: Copy = { contract, url };
/** The key of the copy that made a branded object; the same in every contract version. */
const copyKey = Symbol.for("partita.copy");
/** The key of a branded class's brand. */
const brandKey = Symbol("brand");

interface Class<Instance extends object = object> {
  readonly prototype: Instance;
}

/** A symbol that all copies of one contract version share by its name. */
export const sharedSymbol = (name: string): symbol => Symbol.for(`partita.${name}@${contract}`);

/** A value that all copies of one contract version share, made by the first that needs it. */
export function shared<Value extends object>(name: string, make: () => Value): Value {
  const values = globalThis as unknown as Record<symbol, Value | undefined>;
  return (values[sharedSymbol(name)] ??= make());
}

/**
 * Gives a class its brand and its name, which a bundler may have changed: `static { brand(this, "Ticks"); }`.
 * `hasBrand` recognises instances of every copy, and so does `instanceof`, which programs use.
 */
export function brand(ours: Class, name: string): void {
  const mark = sharedSymbol(name);
  Object.defineProperties(ours, {
    name: { value: name, configurable: true },
    [brandKey]: { value: mark },
    [Symbol.hasInstance]: {
      value(this: Class, value: unknown): boolean {
        return hasBrand(value, this);
      },
    },
  });
  Object.defineProperty(ours.prototype, mark, { value: true });
  markCopy(ours.prototype);
}

/** Whether a value is an instance of a class, or of the same class in another copy. Users' subclasses have no brand. */
export function hasBrand<Instance extends object>(value: unknown, ours: Class<Instance>): value is Instance {
  if (typeof value !== "object" || value === null) return false;
  if (!Object.hasOwn(ours, brandKey)) return inherits(value, ours);
  const mark = (ours as { readonly [brandKey]?: symbol })[brandKey] as symbol;
  return (value as Readonly<Record<symbol, unknown>>)[mark] === true;
}

/**
 * Whether a value is an instance of this class itself, such as a user's class, or the prototype of one of its
 * subclasses.
 */
export const inherits = <Instance extends object>(
  value: unknown,
  { prototype }: Class<Instance>,
): value is Instance => Object.prototype.isPrototypeOf.call(prototype, value as object);

/** Marks an object, such as a class or a prototype, with the copy that it belongs to. */
export function markCopy(target: object): void {
  Object.defineProperty(target, copyKey, { value: thisCopy, configurable: true });
}

/**
 * Describes both copies in a sentence, if an object belongs to a copy that this one does not recognise; undefined for
 * any other value.
 */
export function otherCopy(value: unknown): string | undefined {
  const copy = (value as Readonly<Record<symbol, Copy | undefined>> | null | undefined)?.[copyKey];
  if (copy === undefined || copy.contract === contract) return undefined;
  return `It was made by another copy of @partita/core (${copy.url}) than the one that received it (${thisCopy.url}), and their versions are not compatible. Install one version for both.`;
}
