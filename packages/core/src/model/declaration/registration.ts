import { markCopy, sharedSymbol } from "../../values/errors/brand.ts";
import { checkCopy } from "../../values/errors/second-copy.ts";
import type { EntityClass, EntityDefinition } from "./entity-definition.ts";

/** The registration of an entity class. It is stored on the class itself, where every copy of this package finds it. */
export interface Registration {
  readonly source: (entityClass: EntityClass) => EntityDefinition;
  /** Whether `defineEntity` or `defineKind` made the class, which programs usually extend. */
  readonly isGenerated: boolean;
  /** Known classes below it, at any depth; they need no registration of their own. */
  readonly below: Set<EntityClass>;
}

const registrationKey = sharedSymbol("entity");

interface Registered {
  readonly [registrationKey]?: Registration;
}

/** Makes a class an entity, or replaces the registration by an earlier decorator. */
export function register(entityClass: EntityClass, said: Omit<Registration, "below">): void {
  const below = registrationOf(entityClass)?.below ?? new Set();
  const registration: Registration = { ...said, below };
  Object.defineProperty(entityClass, registrationKey, { value: registration, configurable: true });
  markCopy(entityClass);
}

/** The registration of exactly this class. */
export const registrationOf = (entityClass: object): Registration | undefined =>
  Object.hasOwn(entityClass, registrationKey) ? (entityClass as Registered)[registrationKey] : undefined;

/** The class and those that it extends, nearest first. */
function* lineage(entityClass: EntityClass): Generator<EntityClass> {
  for (let c: unknown = entityClass; typeof c === "function"; c = Object.getPrototypeOf(c))
    yield c as EntityClass;
}

/** The nearest registered class: the class itself, or one that it extends. */
export function findRegistered(entityClass: EntityClass): EntityClass | undefined {
  for (let c: unknown = entityClass; typeof c === "function"; c = Object.getPrototypeOf(c))
    if (registrationOf(c) !== undefined) return c as EntityClass;
  return undefined;
}

/** @throws StateError `package.second-copy` for a class that an incompatible copy declared, completely or in part */
export function checkCopies(entityClass: EntityClass): void {
  for (const each of lineage(entityClass)) checkCopy(each, `The class ${entityClass.name}`);
}

/** Whether `defineEntity` or `defineKind` made a class. */
export const isGenerated = (entityClass: object): boolean =>
  registrationOf(entityClass)?.isGenerated === true;

/** Adds a class to the known classes below those that it extends. */
export function noteBelow(entityClass: EntityClass): void {
  for (const each of lineage(entityClass))
    if (each !== entityClass) registrationOf(each)?.below.add(entityClass);
}
