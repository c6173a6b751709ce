import { StateError } from "../errors/state-error.ts";
import { warnOnce } from "../errors/warn-once.ts";
import { subjectOf } from "../codec/encode-entity.ts";
import { type EntityModel, propertyNames } from "../model/entity-model.ts";
import type { UndeclaredPolicy } from "../model/undeclared-policy.ts";
import type { TrackedEntity } from "./tracked-entity.ts";

/** What holds where a context has no policy of its own: a warning helps whoever writes a program; in production it only costs. */
export const initialPolicy = (): UndeclaredPolicy =>
  process.env["NODE_ENV"] === "production" ? "ignore" : "warn";

/**
 * Looks for values that an entity has and its class does not store, before they are lost with it. The policy of the class
 * goes before that of the context.
 *
 * @throws StateError `entity.undeclared-property` where the policy is `error`
 */
export function checkUndeclared(
  { model, entity, key }: TrackedEntity,
  policyOfContext: UndeclaredPolicy,
): void {
  const policy = model.options.undeclared ?? policyOfContext;
  if (policy === "ignore" || (policy === "warn" && warnedOf.has(model))) return;
  const lost = undeclaredFields(model, entity);
  if (lost.length === 0) return;
  const message = `${subjectOf(model, key)} has ${lost.join(", ")}, which ${model.name} does not declare: ${lost.length === 1 ? "its value is" : "their values are"} not stored. Declare it as a property (a decorator, or properties of defineEntity), or mark it as not stored (@NotStored(), or notStored of defineEntity).`;
  if (policy === "error")
    throw new StateError("entity.undeclared-property", message, { entity: model.name, properties: lost });
  warnedOf.add(model);
  warnOnce(model, "PARTITA_UNDECLARED", () => message);
}

/**
 * Looks for entities in a parent's list of children that this context does not track: a list is filled by `include`, and
 * what is put into it is not added with it.
 *
 * @throws StateError `entity.children-not-added` where the policy is `error`
 */
export function checkChildren(
  { model, entity, key }: TrackedEntity,
  policyOfContext: UndeclaredPolicy,
  isTracked: (child: object) => boolean,
): void {
  const policy = model.options.undeclared ?? policyOfContext;
  if (policy === "ignore") return;
  for (const { property } of model.children) {
    const children = (entity as Readonly<Record<string, unknown>>)[property];
    if (!Array.isArray(children) || children.every(isTracked)) continue;
    const message = `${subjectOf(model, key)} has entities in ${property} that this context does not track, so they are not stored: the list only shows what include() has read. Add each of them with add() or create().`;
    if (policy === "error")
      throw new StateError("entity.children-not-added", message, { entity: model.name, property });
    warnOnce(model, "PARTITA_CHILDREN", () => message);
  }
}

const knownNames = new WeakMap<EntityModel, ReadonlySet<string>>();

/**
 * Own enumerable properties of an entity that would be lost with it: they have a value, and are neither declared, nor
 * receive a system value, nor hold children, nor are marked as not stored. Functions are no data.
 */
function undeclaredFields(model: EntityModel, entity: object): string[] {
  let known = knownNames.get(model);
  if (known === undefined) knownNames.set(model, (known = namesOf(model)));
  const lost: string[] = [];
  for (const name in entity) {
    if (known.has(name) || !Object.hasOwn(entity, name)) continue;
    const value = (entity as Readonly<Record<string, unknown>>)[name];
    if (value !== undefined && value !== null && typeof value !== "function") lost.push(name);
  }
  return lost;
}

const namesOf = (model: EntityModel): ReadonlySet<string> =>
  new Set([
    ...propertyNames(model),
    ...model.notStored,
    ...model.children.map(({ property }) => property),
    ...[model.etagProperty, model.timestampProperty].filter((name) => name !== undefined),
  ]);

/** Models that were warned of: their entities need not be looked at again. */
const warnedOf = new WeakSet<object>();
