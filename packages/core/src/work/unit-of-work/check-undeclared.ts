import { perModel } from "../../model/declaration/per-model.ts";
import { nearestName } from "../../values/errors/nearest-name.ts";
import { StateError } from "../../values/errors/state-error.ts";
import { subjectOf } from "../../model/codec/encode-entity.ts";
import { type EmbeddedModel, type EntityModel, propertyNames } from "../../model/declaration/entity-model.ts";
import type { UndeclaredPolicy } from "../../model/declaration/undeclared-policy.ts";
import type { ChangeTracker } from "./change-tracker.ts";
import type { TrackedEntity } from "./tracked-entity.ts";

/**
 * Finds values of an entity that its class does not store, before they are lost. The policy of the class takes
 * precedence over the context's.
 *
 * @returns StateError `entity.undeclared` if the policy is `error`
 */
export function undeclaredError(
  { model, entity, key }: TrackedEntity,
  policyOfContext: UndeclaredPolicy,
): StateError | undefined {
  if ((model.options.undeclared ?? policyOfContext) === "ignore") return undefined;
  const lost = undeclaredFields(model, entity);
  if (lost.length === 0) return undefined;
  const known = propertyNames(model);
  const meant = lost.flatMap((name) => nearestName(name, known) ?? []).join(", ");
  return new StateError(
    "entity.undeclared",
    `${subjectOf(model, key)} has ${lost.join(", ")}, which ${model.name} does not declare: ${lost.length === 1 ? "its value would not be" : "their values would not be"} stored. ${meant === "" ? "" : `Did you mean ${meant}? `}Declare it as a property (a decorator, or properties of defineEntity), mark it as not stored (@NotStored(), or notStored of defineEntity or embedded), or let undeclared be "ignore" for the table or the context.`,
    { entity: model.name, table: model.table, ...key, properties: lost },
  );
}

/**
 * Whether the last property that an entity got is not declared, as after a misspelt assignment. It takes a few
 * nanoseconds, so it is asked of unchanged entities too.
 */
export function mayBeUndeclared({ model, entity }: TrackedEntity): boolean {
  let last = "";
  for (const name in entity) last = name;
  return !namesOf(model).has(last);
}

/**
 * Finds entities in a parent's list of children that this context does not track. Such a list is filled by `include`;
 * putting an entity into it does not add the entity.
 *
 * @returns StateError `entity.children-not-added` if the policy is `error`
 */
export function lostChildren(
  { model, entity, key, intent }: TrackedEntity,
  policyOfContext: UndeclaredPolicy,
  { entities, isExplicit }: ChangeTracker,
): StateError | undefined {
  if (intent.type === "remove" || (model.options.undeclared ?? policyOfContext) === "ignore")
    return undefined;
  const lost = model.children.find(({ property, isOwned }) => {
    if (isOwned === true && !isExplicit) return false;
    const children = (entity as Readonly<Record<string, unknown>>)[property];
    return Array.isArray(children) && children.some((child) => entities.ofEntity(child) === undefined);
  });
  if (lost === undefined) return undefined;
  return new StateError(
    "entity.children-not-added",
    `${subjectOf(model, key)} has entities in ${lost.property} that this context does not track, so they would not be stored. The list only shows what include() has read. Add each of them with add() or create().`,
    { entity: model.name, property: lost.property },
  );
}

/**
 * Own enumerable properties of an entity that would be lost: they have a value, and are neither declared, nor filled by
 * the system, nor lists of children, nor marked as not stored. Functions are not data.
 */
function undeclaredFields(model: EntityModel, entity: object): string[] {
  const known = namesOf(model);
  const lost: string[] = [];
  for (const name in entity) {
    if (known.has(name) || !Object.hasOwn(entity, name)) continue;
    const value = (entity as Readonly<Record<string, unknown>>)[name];
    if (value !== undefined && value !== null && typeof value !== "function") lost.push(name);
  }
  for (const of of model.embedded ?? [])
    lost.push(...undeclaredMembers(of, (entity as Readonly<Record<string, unknown>>)[of.member]));
  return lost;
}

/** The undeclared members of an embedded object. */
function undeclaredMembers(of: EmbeddedModel, object: unknown): string[] {
  if (typeof object !== "object" || object === null) return [];
  return Object.entries(object).flatMap(([name, value]) => {
    const part = of.parts.find(({ member }) => member === name);
    if (part !== undefined) return undeclaredMembers(part, value);
    const isKnown =
      of.leaves.some(({ place }) => place?.member === name) ||
      of.declaration.notStored?.().includes(name) === true;
    const isLost = !isKnown && value !== undefined && value !== null && typeof value !== "function";
    return isLost ? [`${of.name}.${name}`] : [];
  });
}

const namesOf = perModel(
  (model): ReadonlySet<string> =>
    new Set([
      ...propertyNames(model),
      ...model.notStored,
      ...model.children.map(({ property }) => property),
      ...[model.etagProperty, model.timestampProperty].filter((name) => name !== undefined),
    ]),
);
