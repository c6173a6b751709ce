// Assigns plain data, such as the body of a PATCH request, to an entity: all of it, or nothing.

import { keyOfEntity } from "../../model/codec/entity-key.ts";
import { fromPlain, readPlain } from "../../model/codec/plain-entity.ts";
import type { EntityModel } from "../../model/declaration/entity-model.ts";
import { type OwnedListModel, ownedListsOf } from "../../model/declaration/owned-model.ts";
import { describeType, SerializationError } from "../../values/errors/serialization-error.ts";
import { isDate } from "../../values/errors/built-ins.ts";
import { accepted } from "../../values/options/checks.ts";
import { type CheckOptions, defineOptions } from "../../values/options/define-options.ts";
import type { ChangeTracker } from "../unit-of-work/change-tracker.ts";
import { fillKey, listNotLoaded } from "../unit-of-work/compare-lists.ts";
import type { TrackedEntity } from "../unit-of-work/tracked-entity.ts";

/** Which properties `assign` may set. */
export interface AssignOptions<Name extends string = string> {
  /** The names that may be set; all that are not read-only when absent. */
  readonly only?: readonly Name[] | undefined;
  /** Names that may not be set. */
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
type Assignment = () => void;

/** @throws SerializationError `plain.*`; StateError `entity.list-not-loaded` */
export function assignPlain(
  tracker: ChangeTracker,
  entry: TrackedEntity,
  plain: Values,
  options: AssignOptions,
): void {
  checkOptions(options);
  for (const assign of assignments(tracker, entry, plain, options)) assign();
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
      `assign() takes an object of properties of ${model.name}, but got ${describeType(plain)}.`,
      { entity: model.name },
    );
  const values = entity as Record<string, unknown>;
  return Object.entries(plain).flatMap(([name, given]): Assignment[] => {
    if (given === undefined) return [];
    const list = ownedListsOf(model).find(({ property }) => property === name);
    const maySet = (only?.includes(name) ?? true) && !except.includes(name);
    if (list !== undefined && maySet) return [assignList(tracker, entry, list, given)];
    const property = model.properties.find((each) => each.name === name);
    if (property === undefined || !maySet) {
      checkSame(model, values, name, given);
      return [];
    }
    if (given !== null || property.serializer.isJson === true) {
      const value = readPlain(model, name, given);
      return [() => void (values[name] = value)];
    }
    if (property.presence !== "optional")
      throw new SerializationError(
        "plain.invalid-value",
        `${model.name}.${name} always has a value: null does not clear it.`,
        { entity: model.name, property: name },
      );
    return [() => void (values[name] = undefined)];
  });
}

/** A name that may not be set may repeat its value. @throws SerializationError `plain.read-only`, `plain.unknown-property` */
function checkSame(model: EntityModel, values: Values, name: string, given: unknown): void {
  const isKind = model.kind !== undefined && name === model.options.kindProperty;
  const own = isKind ? model.kind?.name : values[name];
  const value = isKind || given === null ? (given ?? undefined) : readPlain(model, name, given);
  if (isEqual(value, own)) return;
  throw new SerializationError(
    "plain.read-only",
    `${model.name}.${name} may not be set by this data: it may only repeat the value that the entity has.`,
    { entity: model.name, property: name },
  );
}

const isEqual = (a: unknown, b: unknown): boolean =>
  Object.is(a, b) ||
  (isDate(a) && isDate(b) && a.getTime() === b.getTime()) ||
  (typeof a === "object" && a !== null && JSON.stringify(a) === JSON.stringify(b));

/** Members are matched by key: those that the data names are changed or added, and the others leave the list. */
function assignList(
  tracker: ChangeTracker,
  entry: TrackedEntity,
  { property, child }: OwnedListModel,
  given: unknown,
): Assignment {
  const { model, entity } = entry;
  const values = entity as Record<string, unknown>;
  const current = values[property];
  const isKnown = tracker.entities.lists.of(entry, property, child).isLoaded;
  if (!isKnown || !Array.isArray(current))
    throw listNotLoaded(entry, property, "assign() replaces its members");
  if (!Array.isArray(given))
    throw new SerializationError("plain.invalid-value", `${model.name}.${property} takes a list.`, {
      entity: model.name,
      property,
    });
  const changes: Assignment[] = [];
  const members = given.map((plain: unknown) => {
    const key = keyIn(child, entry, plain as Values);
    const member = (current as object[]).find((each) => keyOfEntity(child, each).rowKey === key);
    const tracked = member && tracker.entities.ofEntity(member);
    if (tracked === undefined) {
      const added = fromPlain(child.entityClass, { ...ownParts(entry), ...(plain as Values) });
      return added;
    }
    changes.push(...assignments(tracker, tracked, plain));
    return tracked.entity;
  });
  return () => {
    for (const change of changes) change();
    values[property] = members;
  };
}

/** The RowKey of a member that data describes. */
function keyIn(child: EntityModel, parent: TrackedEntity, plain: Values): string {
  const parts: Record<string, unknown> = {};
  for (const { name } of child.keyProperties) {
    const given = (plain as Values | null)?.[name];
    if (given !== undefined && given !== null) parts[name] = readPlain(child, name, given);
  }
  fillKey(parent, child, parts);
  return keyOfEntity(child, parts).rowKey;
}

/** The key parts of a parent, as plain data. */
function ownParts({ model, entity }: TrackedEntity): Values {
  const values = entity as Values;
  return Object.fromEntries(model.keyProperties.map(({ name }) => [name, values[name]]));
}
