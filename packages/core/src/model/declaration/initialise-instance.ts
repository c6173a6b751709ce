import { shared } from "../../values/errors/brand.ts";
import { ModelError } from "../../values/errors/model-error.ts";
import { isPromise } from "../../values/errors/built-ins.ts";
import { compileText } from "../../values/edm/compile-text.ts";
import type { EntityClass } from "./entity-definition.ts";
import { embeddedObject } from "./embedded-object.ts";
import { isGenerated } from "./registration.ts";
import type { EntityShape, KeyPartType } from "./entity-shape.ts";
import type { AnyPropertyType } from "./property-type.ts";

/**
 * A property's name, its initial value, whether null also becomes the initial value, and the conversion of a given
 * value.
 */
export type Initialisers = readonly (readonly [
  name: string,
  initial: (entity: object) => unknown,
  replacesNull?: boolean,
  convert?: ((value: unknown, entity: object) => unknown) | undefined,
])[];

/** The initial values of a new instance, keys first. */
export function initialisers({ partitionKey, rowKey, properties }: EntityShape): Initialisers {
  const parts = Object.entries({ ...partitionKey, ...rowKey });
  return [
    ...parts.map(([name, part]) => [name, () => literalOf(part)] as const),
    ...Object.entries(properties).map(
      ([name, type]) => [name, initialOf(name, type), hasDefault(type), converterOf(name, type)] as const,
    ),
  ];
}

/** A JSON property has null as a value. */
const hasDefault = ({ presence, fill, serializer }: AnyPropertyType): boolean =>
  (presence === "default" || fill !== undefined) && serializer.isJson !== true;

function initialOf(name: string, type: AnyPropertyType): (entity: object) => unknown {
  const { fill } = type;
  if (fill === undefined) return defaultOf(name, type);
  return (entity) => (isHeldBack(entity, name) ? undefined : callFill(name, fill));
}

/** Plain values of an embedded object become an instance of its class. */
const converterOf = (name: string, { embedded: declaration }: AnyPropertyType) =>
  declaration &&
  ((value: unknown, entity: object): unknown =>
    embeddedObject({ path: { entity: entity.constructor.name, property: name }, declaration }, value));

const literalOf = (part: KeyPartType | undefined): unknown =>
  (part as { literal?: unknown } | undefined)?.literal;

/**
 * The initial value of a property. Dates, bytes and JSON values can be changed in place, so each instance gets its own:
 * decoded from the stored form, which preserves classes such as Ticks.
 */
export function defaultOf(
  name: string,
  { presence, defaultValue, serializer }: Pick<AnyPropertyType, "presence" | "defaultValue" | "serializer">,
): () => unknown {
  if (presence !== "default" || typeof defaultValue !== "object" || defaultValue === null)
    return () => defaultValue;
  const path = { entity: "default", property: name };
  return () => {
    const stored = serializer.encode(defaultValue, path);
    return serializer.decode(stored, serializer.isAnnotated(stored) ? serializer.edm : undefined, path);
  };
}

type Values = Readonly<Record<string, unknown>>;

/** Assigns given values to a new instance, and initial values to the other properties. */
export type Initialise = (entity: object, values: Values | undefined) => void;

/** The function that assigns values to instances of a class; its code is generated for the first instance. */
export function initialiserOf(names: Initialisers): Initialise {
  let compiled: Initialise | undefined;
  return (entity, values) => {
    if (isBlank(entity)) return;
    compiled ??= compileInitialiser(names) ?? initialiseByLoop(names);
    compiled(entity, values);
  };
}

/** Used if the runtime does not allow compiling text. */
const initialiseByLoop =
  (names: Initialisers): Initialise =>
  (entity, values) => {
    for (const [name, initial, replacesNull, convert] of names) {
      const value = values !== undefined && Object.hasOwn(values, name) ? values[name] : undefined;
      const isGiven = value !== undefined && (value !== null || replacesNull !== true);
      (entity as Record<string, unknown>)[name] = !isGiven
        ? initial(entity)
        : convert === undefined
          ? value
          : convert(value, entity);
    }
  };

/** The same, with the names written out: with computed names it takes three times as long. */
function compileInitialiser(names: Initialisers): Initialise | undefined {
  const lines = names.map(([name, , replacesNull, convert], i) => {
    const text = JSON.stringify(name);
    const isAbsent = replacesNull === true ? "v === undefined || v === null" : "v === undefined";
    return `  v = values !== undefined && hasOwn(values, ${text}) ? values[${text}] : undefined;\n  entity[${text}] = ${isAbsent} ? initial${i}(entity) : ${convert === undefined ? "v" : `convert${i}(v, entity)`};`;
  });
  const initials = names.flatMap(([, initial, , convert], i) => [
    [`initial${i}`, initial] as const,
    [`convert${i}`, convert] as const,
  ]);
  return compileText<Initialise>(
    { hasOwn: Object.hasOwn, ...Object.fromEntries(initials) },
    ['"use strict";', "return function initialise(entity, values) {", "  let v;", ...lines, "};"].join("\n"),
  );
}

/** Whether this class is the nearest generated class above the instance's own: its constructor runs last of them. */
export function isLastGenerated(entity: object, entityClass: object): boolean {
  let last: object = entity.constructor;
  while (!isGenerated(last) && last !== Function.prototype) last = Object.getPrototypeOf(last) as object;
  return last === entityClass;
}

/** Sets values without a property on the entity, so a save can report that they would be lost. */
export function keepOthers(entity: object, values: Values): void {
  if (isBlank(entity)) return;
  for (const name of Object.keys(values))
    if (!(name in entity) || name in Object.prototype) keepValue(entity, name, values[name]);
}

/** Sets an own property, also one that an assignment would not set: `__proto__`. */
export function keepValue(entity: object, name: string, value: unknown): void {
  Object.defineProperty(entity, name, { value, configurable: true, enumerable: true, writable: true });
}

/** Makes the value of a property. @throws ModelError `model.default` for a promise, which would be stored unawaited */
export function callFill(property: string, fill: () => unknown): unknown {
  const value = fill();
  if (!isPromise(value)) return value;
  throw new ModelError(
    "model.default",
    `The default function of ${property} returned a promise. Let it return the value, or await the value before you create the entity.`,
    { property },
  );
}

interface Building {
  /** The class of an instance that is being built for stored values, so its initial values are not needed. */
  class: EntityClass | undefined;
  /** The class of an instance that is being built without calling its default functions. */
  held?: HeldBack | undefined;
}

interface HeldBack {
  readonly class: EntityClass;
  /**
   * The values that are assigned later; the default functions of other properties are called. If absent, none are
   * called.
   */
  readonly given: Values | undefined;
}

/** Shared, since the class may come from another copy of this package. */
const building: Building = shared("building", (): Building => ({ class: undefined }));

/**
 * Builds an instance without calling its default functions.
 *
 * @param given - the values that are assigned later: only their default functions are not called
 */
export function holdBack(entityClass: EntityClass, given: Values | undefined, build: () => object): object {
  const outer = building.held;
  building.held = { class: entityClass, given };
  try {
    return build();
  } finally {
    building.held = outer;
  }
}

function isHeldBack(entity: object, name: string): boolean {
  const { held } = building;
  if (held === undefined || entity.constructor !== held.class) return false;
  return held.given === undefined || (held.given[name] ?? undefined) !== undefined;
}

/**
 * Builds an instance for stored values; constructors of generated classes do not assign its properties.
 *
 * @param prototype - of the instance, instead of the class's own
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
const isBlank = (entity: object): boolean =>
  building.class !== undefined && entity.constructor === building.class;

function construct(name: string, build: () => object): object {
  try {
    return build();
  } catch (cause) {
    throw new ModelError(
      "model.constructor-failed",
      `${name} could not be built by new ${name}() without arguments. Give the class a create factory in its options, or let the constructor accept none.`,
      { entity: name },
      { cause },
    );
  }
}

/** Builds instances of a class with their initial values. @throws ModelError `model.constructor-failed` */
export const builderOf = (name: string, entityClass: EntityClass): (() => object) => {
  const build = (): object => new (entityClass as new () => object)();
  return () => construct(name, build);
};

/** Builds instances of a class for stored values. @throws ModelError `model.constructor-failed` */
export const blankBuilderOf = (name: string, entityClass: EntityClass): (() => object) => {
  const build = (): object => buildBlank(entityClass);
  return () => construct(name, build);
};
