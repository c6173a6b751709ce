import { shared } from "../../values/errors/brand.ts";
import { ModelError } from "../../values/errors/model-error.ts";
import { compileText } from "../../values/edm/compile-text.ts";
import type { EntityClass } from "./entity-definition.ts";
import { isGenerated } from "./registration.ts";
import type { EntityShape, KeyPartType } from "./entity-shape.ts";
import type { AnyPropertyType } from "./property-type.ts";

/** A property's name, and what it begins as. */
export type Initialisers = readonly (readonly [name: string, initial: () => unknown])[];

/** What each property of a new instance begins as, keys first. */
export function initialisers({ partitionKey, rowKey, properties }: EntityShape): Initialisers {
  const parts = Object.entries({ ...partitionKey, ...rowKey });
  return [
    ...parts.map(([name, part]) => [name, () => literalOf(part)] as const),
    ...Object.entries(properties).map(([name, type]) => [name, defaultOf(name, type)] as const),
  ];
}

const literalOf = (part: KeyPartType | undefined): unknown =>
  (part as { literal?: unknown } | undefined)?.literal;

/**
 * What a new instance begins with. Dates, bytes and JSON values can be changed in place, so that each instance gets a
 * default of its own: read from the stored form, which keeps classes such as Ticks.
 */
export function defaultOf(
  name: string,
  { presence, defaultValue, serializer }: AnyPropertyType,
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

/** Gives a new instance its values, and the initial ones of properties without a value. */
export type Initialise = (entity: object, values: Values | undefined) => void;

/** What gives instances of a class their values; its code is written when the first one is made. */
export function initialiserOf(names: Initialisers): Initialise {
  let compiled: Initialise | undefined;
  return (entity, values) => {
    if (isBlank(entity)) return;
    compiled ??= compileInitialiser(names) ?? initialiseByLoop(names);
    compiled(entity, values);
  };
}

/** Where text may not be compiled. */
const initialiseByLoop =
  (names: Initialisers): Initialise =>
  (entity, values) => {
    for (const [name, initial] of names) {
      const value = values !== undefined && Object.hasOwn(values, name) ? values[name] : undefined;
      (entity as Record<string, unknown>)[name] = value === undefined ? initial() : value;
    }
  };

/** The same, with the names written out: under computed names it takes three times as long. */
function compileInitialiser(names: Initialisers): Initialise | undefined {
  const lines = names.map(([name], i) => {
    const text = JSON.stringify(name);
    return `  v = values !== undefined && hasOwn(values, ${text}) ? values[${text}] : undefined;\n  entity[${text}] = v === undefined ? initial${i}() : v;`;
  });
  const initials = names.map(([, initial], i) => [`initial${i}`, initial] as const);
  return compileText<Initialise>(
    { hasOwn: Object.hasOwn, ...Object.fromEntries(initials) },
    ['"use strict";', "return function initialise(entity, values) {", "  let v;", ...lines, "};"].join("\n"),
  );
}

/** Whether this class is the nearest generated one above an instance's own: its constructor runs last of those. */
export function isLastGenerated(entity: object, entityClass: object): boolean {
  let last: object = entity.constructor;
  while (!isGenerated(last) && last !== Function.prototype) last = Object.getPrototypeOf(last) as object;
  return last === entityClass;
}

/** Values that no property takes stay on the entity, where a save sees that they would be lost. */
export function keepOthers(entity: object, values: Values): void {
  if (isBlank(entity)) return;
  for (const name of Object.keys(values))
    if (!(name in entity))
      Object.defineProperty(entity, name, {
        value: values[name],
        configurable: true,
        enumerable: true,
        writable: true,
      });
}

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
