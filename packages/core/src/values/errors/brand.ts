// A program may load this package twice: from node_modules, and within a bundled library. Each copy has its own classes, so
// the `instanceof` operator denies objects of the other. A brand is a symbol from the registry that all copies share. It
// stands on the prototype of a class, so an object has the brands of its class and of those above it.

/**
 * The version of what copies expect of each other: branded classes, declarations of entities, snapshot values, and the port
 * to a storage. Copies of another version are not recognised. Raise it with every change that an older copy would get wrong.
 */
const contract = 1;

/** A copy of the package, and the file that has it. */
interface Copy {
  readonly contract: number;
  readonly url: string;
}

// Bundles in CommonJS form may not say where they are.
const { url = "a CommonJS bundle" } = import.meta as Partial<ImportMeta>;
const thisCopy: Copy = { contract, url };
/** Where branded objects have the copy that made them; the same in every contract. */
const copyKey = Symbol.for("partita.copy");
/** Where a branded class has its brand. */
const brandKey = Symbol("brand");

/** A class, abstract ones and those with private constructors included. */
interface Class<Instance extends object = object> {
  readonly prototype: Instance;
}

/** What all copies of one contract know by one name. */
export const sharedSymbol = (name: string): symbol => Symbol.for(`partita.${name}@${contract}`);

/** A value that all copies of one contract share, made by the first that asks for it. */
export function shared<Value extends object>(name: string, make: () => Value): Value {
  const values = globalThis as unknown as Record<symbol, Value | undefined>;
  return (values[sharedSymbol(name)] ??= make());
}

/**
 * Gives a class its brand and its name, which a bundler may have changed: `static { brand(this, "Ticks"); }`. Instances of
 * every copy are recognised by `hasBrand`, and by `instanceof`, which is what programs use.
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

/** Whether a value is an instance of a class, or of the same class in another copy. A subclass of users has no brand. */
export function hasBrand<Instance extends object>(value: unknown, ours: Class<Instance>): value is Instance {
  if (typeof value !== "object" || value === null) return false;
  if (!Object.hasOwn(ours, brandKey)) return inherits(value, ours);
  const mark = (ours as { readonly [brandKey]?: symbol })[brandKey] as symbol;
  return (value as Readonly<Record<symbol, unknown>>)[mark] === true;
}

/** Whether a value is an instance of this very class, such as one of the user's, or the prototype of a class below it. */
export const inherits = <Instance extends object>(
  value: unknown,
  { prototype }: Class<Instance>,
): value is Instance => Object.prototype.isPrototypeOf.call(prototype, value as object);

/** Says on an object, such as a class or a prototype, which copy it is of. */
export function markCopy(target: object): void {
  Object.defineProperty(target, copyKey, { value: thisCopy, configurable: true });
}

/**
 * Where the copies are, as a sentence, when an object is of a copy that this one does not recognise; undefined for any other
 * value.
 */
export function otherCopy(value: unknown): string | undefined {
  const copy = (value as Readonly<Record<symbol, Copy | undefined>> | null | undefined)?.[copyKey];
  if (copy === undefined || copy.contract === contract) return undefined;
  return `It was made by another copy of @partita/core, ${copy.url}, than the one that it was given to, ${thisCopy.url}, and their versions do not fit. Install one version for both.`;
}
