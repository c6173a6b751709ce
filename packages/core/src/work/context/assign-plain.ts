// Assigns plain data, such as the body of a PATCH request, to an entity: either all of it or nothing.

import { keyOfEntity } from "../../model/codec/entity-key.ts";
import { isGiven } from "../../model/codec/is-absent.ts";
import { fromPlain, isSamePlain, readPlain, readPlainObject } from "../../model/codec/plain-entity.ts";
import { notLoaded, type Snapshot } from "../../model/codec/snapshot.ts";
import {
  type EntityModel,
  findEmbedded,
  memberNameOf,
  propertyNames,
} from "../../model/declaration/entity-model.ts";
import { modelOfEntity } from "../../model/declaration/model-registry.ts";
import { type OwnedListModel, ownedListsOf } from "../../model/declaration/owned-model.ts";
import { describeType, SerializationError } from "../../values/errors/serialization-error.ts";
import { accepted } from "../../values/options/checks.ts";
import { type CheckOptions, defineOptions } from "../../values/options/define-options.ts";
import type { ChangeTracker } from "../unit-of-work/change-tracker.ts";
import { changesOf } from "../unit-of-work/entity-state.ts";
import { listNotLoaded } from "../unit-of-work/list-errors.ts";
import { notComplete } from "../unit-of-work/state-errors.ts";
import type { TrackedEntity } from "../unit-of-work/tracked-entity.ts";

/** The properties that `assign` may set. */
export interface AssignOptions<Name extends string = string> {
  /**
   * The names that may be set; by default all except read-only ones.
   *
   * ```ts
   * context.assign(blog, { text: "Edited" }, { only: ["text", "author"] });
   * ```
   */
  readonly only?: readonly Name[] | undefined;
  /**
   * Names that may not be set.
   *
   * ```ts
   * context.assign(blog, { text: "Edited" }, { except: ["rating"] });
   * ```
   */
  readonly except?: readonly Name[] | undefined;
}

const names = accepted<readonly string[]>(
  "a list of names",
  (value) => Array.isArray(value) && value.every((name) => typeof name === "string"),
);
const checkOptions: CheckOptions = defineOptions<AssignOptions>("assign(entity, plain, options)", {
  only: names,
  except: names,
});

type Values = Readonly<Record<string, unknown>>;

/** A value to assign. */
interface Assignment {
  readonly target: Record<string, unknown>;
  readonly name: string;
  readonly value: unknown;
}

/** @throws SerializationError `plain.*`; StateError `entity.list-not-loaded`, `entity.not-loaded` */
export function assignPlain(
  tracker: ChangeTracker,
  entry: TrackedEntity,
  plain: Values,
  options: AssignOptions,
): void {
  checkOptions(options);
  const done: Assignment[] = [];
  try {
    for (const { target, name, value } of assignments(tracker, entry, plain, options)) {
      done.push({ target, name, value: target[name] });
      target[name] = value;
    }
  } catch (error) {
    // A frozen member, or a setter of the program, refused its value.
    for (const { target, name, value } of done.toReversed()) Reflect.set(target, name, value);
    throw error;
  }
  if (!tracker.isExplicit) return;
  const { assigned, cleared } = changesOf(entry);
  const isChanged = (i: number): boolean => assigned.includes(i) || cleared.includes(i);
  const changed = entry.model.properties
    .filter((property, i) => isChanged(i) && done.some(({ name }) => name === memberNameOf(property)))
    .map(({ name }) => name);
  // Without names, it would mark all properties.
  if (changed.length > 0) tracker.update(entry.entity, changed);
}

/** Checks everything before anything is changed. */
function assignments(
  tracker: ChangeTracker,
  entry: TrackedEntity,
  plain: unknown,
  { only, except = [] }: AssignOptions = {},
): Assignment[] {
  const { model, entity } = entry;
  if (typeof plain !== "object" || plain === null || Array.isArray(plain))
    throw new SerializationError(
      "plain.not-an-object",
      `assign() takes an object with properties of ${model.name}, but got ${describeType(plain)}.`,
      { entity: model.name },
    );
  const values = entity as Record<string, unknown>;
  return Object.entries(plain).flatMap(([name, given]): Assignment[] => {
    if (given === undefined) return [];
    const list = ownedListsOf(model).find(({ property }) => property === name);
    if (list !== undefined && tracker.isExplicit)
      throw new SerializationError(
        "plain.read-only",
        `${model.name}.${name} is a list, which a context with explicit tracking does not compare. Leave it out of the data of assign(), and call createIn() and remove() for its members.`,
        { entity: model.name, property: name },
      );
    const maySet =
      (only?.includes(name) ?? true) && !except.includes(name) && name !== tracker.scope.of(model)?.name;
    if (list !== undefined && maySet) return assignList(tracker, entry, list, given);
    const of = findEmbedded(model, name);
    const property = model.properties.find((each) => each.name === name && each.place === undefined);
    if (property?.isHidden === true) readPlain(model, name, given);
    if ((property === undefined && of === undefined) || property?.onSave !== undefined || !maySet) {
      checkSame(model, values, name, given);
      return [];
    }
    // Data can only be merged with known values.
    const isKnown = isLoaded(entry, name) || isGiven(values[name]);
    if (of !== undefined && given !== null && !isKnown)
      throw notComplete(entry, entry.snapshot as Snapshot, []);
    if (of !== undefined && given !== null)
      return [{ target: values, name, value: readPlainObject(of, given, values[name] ?? {}) }];
    if (given !== null || property?.serializer.isJson === true) {
      const value = readPlain(model, name, given);
      return [{ target: values, name, value }];
    }
    if (of === undefined ? property?.presence !== "optional" : of.isRequired)
      throw new SerializationError(
        "plain.invalid-value",
        `${model.name}.${name} always has a value, so null does not clear it.`,
        { entity: model.name, property: name },
      );
    return [{ target: values, name, value: undefined }];
  });
}

/** Whether it is known if a part of a member is stored, and with which value. */
const isLoaded = ({ snapshot, model }: TrackedEntity, name: string): boolean =>
  snapshot === undefined ||
  model.properties.some((each, i) => memberNameOf(each) === name && snapshot.values[i] !== notLoaded);

/**
 * A name that may not be set may repeat its present value. @throws SerializationError `plain.read-only`,
 * `plain.unknown-property`
 */
function checkSame(model: EntityModel, values: Values, name: string, given: unknown): void {
  const isKind = model.kind !== undefined && name === model.options.kindProperty;
  const own = isKind ? model.kind?.name : values[name];
  const isCleared = given === null && (isKind || name in values || propertyNames(model).includes(name));
  const value = isKind || isCleared ? (given ?? undefined) : readPlain(model, name, given);
  if (!isSamePlain(model, name, value, own)) throw readOnly(model, name);
}

/**
 * A new member has no values that only reads and saves set, and no lists that are views. @throws SerializationError
 * `plain.read-only`
 */
function checkAdded(member: object, plain: Values): void {
  const model = modelOfEntity(member);
  const { properties, children, etagProperty, timestampProperty } = model;
  for (const [name, given] of Object.entries(plain)) {
    if ((given ?? undefined) === undefined) continue;
    const list = children.find(({ property }) => property === name);
    const isSetBySave = properties.some((each) => each.name === name && each.onSave !== undefined);
    const isView = list !== undefined && list.isOwned !== true;
    if (isSetBySave || isView || name === etagProperty || name === timestampProperty)
      throw readOnly(model, name);
    if (list === undefined) continue;
    const members = (member as Values)[name] as readonly object[];
    for (const [i, each] of members.entries()) checkAdded(each, (given as readonly Values[])[i] as Values);
  }
}

const readOnly = ({ name: entity }: EntityModel, property: string): SerializationError =>
  new SerializationError(
    "plain.read-only",
    `${entity}.${property} may not be set by this data. The data may only repeat the entity's present value.`,
    { entity, property },
  );

/** Members are matched by key: those in the data are changed or added, and the others leave the list. */
function assignList(
  tracker: ChangeTracker,
  entry: TrackedEntity,
  { property, child }: OwnedListModel,
  given: unknown,
): Assignment[] {
  const { model, entity } = entry;
  const values = entity as Record<string, unknown>;
  const current = values[property];
  const isKnown = tracker.entities.lists.of(entry, property, child).isLoaded;
  if (!isKnown || !Array.isArray(current))
    throw listNotLoaded(entry, property, "Leave it out of the data of assign()");
  if (!Array.isArray(given)) throw invalid(model, property, "takes a list");
  const changes: Assignment[] = [];
  const byKey = new Map((current as object[]).map((each) => [keyOfEntity(child, each).rowKey, each]));
  const named = new Set<string>();
  const members = given.map((plain: unknown, i) => {
    const at = `${property}[${i}]`;
    const key = keyIn(child, entry, plain, at);
    if (named.has(key)) throw invalid(model, at, "has the key of another member in the same data");
    named.add(key);
    const member = byKey.get(key);
    const tracked = member && tracker.entities.ofEntity(member);
    if (tracked === undefined) {
      const added = fromPlain(child.entityClass, { ...(plain as Values), ...ownParts(entry) });
      checkAdded(added, plain as Values);
      return added;
    }
    changes.push(...assignments(tracker, tracked, plain));
    return tracked.entity;
  });
  return [...changes, { target: values, name: property, value: members }];
}

/**
 * The RowKey of a member in the data.
 *
 * @throws SerializationError `plain.invalid-value` for a member of another parent, or without a key
 */
function keyIn(child: EntityModel, { model, entity }: TrackedEntity, plain: unknown, at: string): string {
  if (typeof plain !== "object" || plain === null) throw invalid(model, at, "must be an object");
  const own = entity as Values;
  const parts: Record<string, unknown> = {};
  for (const { name } of child.keyProperties) {
    const given = (plain as Values)[name];
    const isOwn = model.keyProperties.some((part) => part.name === name);
    parts[name] = given === undefined || given === null ? own[name] : readPlain(child, name, given);
    if (isOwn ? !isSamePlain(child, name, parts[name], own[name]) : parts[name] === undefined)
      throw invalid(
        model,
        `${at}.${name}`,
        isOwn ? `must be the value of its ${model.name}, or absent` : "is part of the key",
      );
  }
  return keyOfEntity(child, parts).rowKey;
}

const invalid = ({ name }: EntityModel, property: string, problem: string): SerializationError =>
  new SerializationError("plain.invalid-value", `${name}.${property} ${problem}.`, {
    entity: name,
    property,
  });

/** The key parts of a parent, as plain data. */
function ownParts({ model, entity }: TrackedEntity): Values {
  const values = entity as Values;
  return Object.fromEntries(model.keyProperties.map(({ name }) => [name, values[name]]));
}
