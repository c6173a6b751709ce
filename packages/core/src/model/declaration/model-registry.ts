import { inherits } from "../../values/errors/brand.ts";
import { isPromise } from "../../values/errors/built-ins.ts";
import { describeType } from "../../values/errors/serialization-error.ts";
import { ModelError } from "../../values/errors/model-error.ts";
import { buildModel } from "./build-model.ts";
import { checkFields } from "./check-fields.ts";
import { withFormerIndexes } from "./former-indexes.ts";
import {
  checkCopies,
  findRegistered,
  isGenerated,
  noteBelow,
  register,
  type Registration,
  registrationOf,
} from "./registration.ts";
import type { EntityClass, EntityDefinition } from "./entity-definition.ts";
import type { EntityModel } from "./entity-model.ts";

/** Each copy of this package builds its own models; only declarations are shared. */
const known = new WeakMap<EntityClass, KnownClass>();
/** The number of declarations so far. */
let declarations = 0;

interface KnownClass {
  model?: EntityModel | undefined;
  /** Whether a caller passed it, and not only a base led to it. */
  isSeen: boolean;
  /** The classes below it, and perhaps its siblings, as the registration lists them. */
  classes?: ReadonlySet<EntityClass>;
  below?: FoundKinds;
}

/** Kinds below a class, and what the result depends on: the number of classes below it, and replaced declarations. */
interface FoundKinds {
  readonly kinds: ReadonlyMap<string, EntityModel>;
  readonly classes: number;
  readonly declarations: number;
}

/**
 * Makes a class an entity. Decorators and `defineEntity` call it. The definition is requested when the model is first
 * needed, after every decorator has run.
 *
 * @param source - returns the definition of the class or of a subclass that adds no stored members
 */
export function registerEntity(
  entityClass: EntityClass,
  source: (entityClass: EntityClass) => EntityDefinition,
  options: { readonly isGenerated?: boolean } = {},
): void {
  register(entityClass, { source, isGenerated: options.isGenerated === true });
  const before = known.get(entityClass);
  if (before !== undefined) known.set(entityClass, { isSeen: before.isSeen });
  declarations++;
  noteBelow(entityClass);
}

/**
 * The model of an entity class that a caller passed, built on first use.
 *
 * @throws ModelError `model.not-an-entity` for any other value; other codes if the class is declared wrongly
 */
export function modelOf(entityClass: EntityClass): EntityModel {
  const model = known.get(entityClass)?.model ?? compile(entityClass);
  (known.get(entityClass) as KnownClass).isSeen = true;
  return model;
}

/**
 * The declaration of a class and of the classes that it extends, before validation.
 *
 * @throws ModelError `model.not-an-entity`
 */
export const definitionOf = (entityClass: EntityClass): EntityDefinition =>
  (registrationOf(registeredFor(entityClass)) as Registration).source(entityClass);

function registeredFor(entityClass: EntityClass): EntityClass {
  if (typeof entityClass === "function") checkCopies(entityClass);
  const registered = typeof entityClass === "function" ? findRegistered(entityClass) : undefined;
  if (registered === undefined) throw notAClass(entityClass);
  return registered;
}

function compile(entityClass: EntityClass): EntityModel {
  const registered = registeredFor(entityClass);
  const definition = definitionOf(entityClass);
  const model = withFormerIndexes(buildModel(entityClass, definition), modelOf);
  // Instances that a factory builds have their own values.
  const isExtended = isGenerated(registered) && entityClass !== registered;
  if (isExtended && definition.create === undefined) checkFields(model);
  const isSeen = known.get(entityClass)?.isSeen === true;
  known.set(entityClass, { model, isSeen, classes: classesBelow(entityClass) });
  noteBelow(entityClass);
  return model;
}

/** The model of an entity's class. @throws ModelError `model.not-an-entity` */
export function modelOfEntity(entity: object): EntityModel {
  const entityClass = classOf(entity);
  if (typeof entity !== "object" || typeof entityClass !== "function") throw noInstance(entity);
  if (isPromise(entity) || Array.isArray(entity)) throw noInstance(entity);
  if (entityClass === Object) throw noInstance(entity);
  return modelOf(entityClass as EntityClass);
}

/** The class of an instance. Data from outside may have an own property "constructor". */
const classOf = (value: unknown): unknown =>
  value === null || value === undefined
    ? undefined
    : (Object.getPrototypeOf(value) as { readonly constructor?: unknown } | null)?.constructor;

/** Whether a value is an instance of an entity class. */
export function isEntity(value: object): boolean {
  const entityClass = classOf(value);
  return typeof entityClass === "function" && findRegistered(entityClass as EntityClass) !== undefined;
}

/**
 * The models of the kinds below a base class, by kind name: the same map until another class is declared.
 *
 * @throws ModelError `model.kind-twice` when two classes claim one kind
 */
export function kindsBelow(base: EntityClass): ReadonlyMap<string, EntityModel> {
  const { below, classes = classesBelow(base) } = known.get(base) ?? {};
  if (below?.classes === classes.size && below.declarations === declarations) return below.kinds;
  const kinds = findKinds([...classes].filter((each) => inherits(each.prototype, base)));
  // Many classes extend a generated one, and no other code needs that one's model.
  const own: KnownClass = known.get(base) ?? { isSeen: false, classes };
  own.below = { kinds, classes: classes.size, declarations };
  known.set(base, own);
  return kinds;
}

function findKinds(below: readonly EntityClass[]): ReadonlyMap<string, EntityModel> {
  const kinds = new Map<string, EntityModel>();
  for (const entityClass of below) {
    // A generated class represents a kind only until the class that extends it is known.
    if (isGenerated(entityClass) && below.some((other) => inherits(other.prototype, entityClass))) continue;
    const model = known.get(entityClass)?.model ?? compile(entityClass);
    if (model.kind === undefined) continue;
    addKind(kinds, model);
  }
  return kinds;
}

/** The base class of a kind: the nearest class above it that is not a kind itself; undefined for other classes. */
export function baseOf({ kind, entityClass }: EntityModel): EntityModel | undefined {
  if (kind === undefined) return undefined;
  for (
    let c: unknown = Object.getPrototypeOf(entityClass);
    typeof c === "function" && c !== Function.prototype;
    c = Object.getPrototypeOf(c)
  ) {
    if (registrationOf(c as EntityClass) === undefined) continue;
    const model = known.get(c as EntityClass)?.model ?? compile(c as EntityClass);
    if (model.kind === undefined) return model;
  }
  return undefined;
}

/** The known classes below one, and its siblings if it is not registered itself. */
function classesBelow(base: EntityClass): ReadonlySet<EntityClass> {
  const registered = findRegistered(base);
  return (registered && registrationOf(registered)?.below) ?? none;
}

const none: ReadonlySet<EntityClass> = new Set();

/** Whether a caller never passed a kind's class, so a class that extends it may still follow. */
export const isUnseen = (entityClass: EntityClass): boolean =>
  isGenerated(entityClass) && known.get(entityClass)?.isSeen !== true;

/** Adds a model under its kind. @throws ModelError `model.kind-twice` */
export function addKind(
  kinds: Map<string, EntityModel>,
  model: EntityModel,
  name: string = model.kind?.name ?? "",
): void {
  const other = kinds.get(name);
  if (other !== undefined && other !== model)
    throw new ModelError(
      "model.kind-twice",
      `${model.name} and ${other.name} are both the kind "${name}" of table ${model.table}. Give one of them another kind name.`,
      { entity: model.name, other: other.name, kind: name, table: model.table },
    );
  kinds.set(name, model);
}

const byKey =
  "To change or delete a row by its key, call modify(Class, key, change) or removeByKey(Class, key, etag)";

/** The error for a value that is not an instance. */
function noInstance(value: unknown): ModelError {
  const isClass = typeof value === "function" && findRegistered(value as EntityClass) !== undefined;
  const name = typeof value === "function" ? value.name : "";
  const problem = isClass
    ? `the class ${name} itself. Pass an instance: new ${name}({ … }). ${byKey}`
    : value === undefined
      ? "undefined. find() and first() return undefined if nothing is stored: check their result first"
      : isPromise(value)
        ? "a promise. Write await before the call that returns it"
        : Array.isArray(value)
          ? "an array. Pass the entities one by one"
          : `${typeof value === "object" && value !== null ? "an object without a class" : describeType(value)}. Call create(Class, values), or pass an instance of a class declared with defineEntity or with @Table. ${byKey}`;
  return new ModelError("model.not-an-entity", `An entity is needed here, but it got ${problem}.`, {
    value: describeType(value),
  });
}

/** @param value - the value that was passed instead of a class */
function notAClass(value: unknown): ModelError {
  if (typeof value === "function") return notAnEntity(value);
  const owner = classOf(value);
  const entityClass = typeof owner === "function" ? findRegistered(owner as EntityClass) : undefined;
  const name = (owner as { name?: string } | undefined)?.name ?? "";
  const problem =
    entityClass !== undefined
      ? `got an instance of ${name}. Pass the class itself: ${name}, not new ${name}()`
      : value === undefined
        ? "got undefined. If the class is imported, two files may import each other: use the class later, or put both into one file"
        : `got ${describeType(value)}. Pass a class declared with defineEntity or with @Table`;
  return new ModelError("model.not-an-entity", `An entity class is needed here, but it ${problem}.`, {
    value: describeType(value),
  });
}

function notAnEntity(value: unknown): ModelError {
  const name =
    typeof value === "function" ? value.name || "This class" : `This value, ${describeType(value)},`;
  return new ModelError(
    "model.not-an-entity",
    `${name} is not an entity: it has no table. Declare it with defineEntity or with @Table, and pass the class or an instance of it.`,
    { value: typeof value === "function" ? value.name : describeType(value) },
  );
}
