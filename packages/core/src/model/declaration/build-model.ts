import { timeOf } from "../../values/errors/built-ins.ts";
import { alsoReads } from "../../values/edm/also-reads.ts";
import type { StoredEntity, StoredValue } from "../../values/edm/stored-entity.ts";
import { ModelError } from "../../values/errors/model-error.ts";
import { StateError } from "../../values/errors/state-error.ts";
import { linkLeaves, placedProperties, type PlacedDefinition } from "./build-embedded.ts";
import { buildIndexes } from "./build-indexes.ts";
import { buildKeys } from "./build-keys.ts";
import { checkFollows, checkSupported } from "./check-versions.ts";
import { blankBuilderOf, builderOf, defaultOf, holdBack } from "./initialise-instance.ts";
import { InitialValues } from "./initial-values.ts";
import { checkValues, given, kindChecks, tableChecks } from "./settings.ts";
import { checkScope } from "./check-scope.ts";
import { isPropertyName } from "../../values/edm/property-name.ts";
import {
  checkKeysPresent,
  checkNames,
  checkStoredNames,
  checkTable,
  invalidName,
  isReserved,
} from "./check-names.ts";
import type {
  KindDefinition,
  EntityClass,
  EntityDefinition,
  PropertyDefinition,
} from "./entity-definition.ts";
import {
  type VersionModel,
  type KindModel,
  type EntityModel,
  type PropertyModel,
  rowProperty,
  storedUnder,
  type TableSettings,
} from "./entity-model.ts";

/**
 * Validates a definition and freezes it into a model.
 *
 * @throws ModelError naming class, property and remedy
 */
export function buildModel(entityClass: EntityClass, definition: EntityDefinition): EntityModel {
  const name = entityClass.name || definition.kind?.name || definition.table || "an unnamed class";
  const options = settingsOf(name, definition);
  const table = checkTable(name, definition.table);
  checkNames(name, definition);
  const keys = buildKeys(name, definition);
  checkKeysPresent(name, definition);
  const create = definition.create ?? builderOf(name, entityClass);
  const placed = placedProperties(name, definition.properties);
  const isFilled = placed.some(({ type }) => type.fill !== undefined);
  // An instance that only shows the initial values, or receives stored ones, is not a new entity.
  const unfilled = isFilled ? () => holdBack(entityClass, undefined, create) : create;
  const initials = new InitialValues(unfilled);
  const properties = placed.map((property) => propertyModel(name, property, initials));
  const embedded = linkLeaves(properties);
  checkStoredNames(name, properties, definition, options);
  checkScope(name, options, keys.keyProperties, properties);

  const model: EntityModel = {
    entityClass,
    name,
    table,
    options,
    kind: definition.kind && kindModel(name, definition.kind, options.kindProperty, keys.rowKey.separator),
    version: versionModel(name, definition.version, options, properties),
    ...keys,
    properties,
    embedded: embedded.length === 0 ? undefined : embedded,
    filled: isFilled ? properties.filter(({ fill }) => fill !== undefined) : none,
    savedFills: properties.some(({ onSave }) => onSave !== undefined)
      ? properties.filter(({ onSave }) => onSave !== undefined)
      : undefined,
    emptyImage: emptyImage(definition, options, properties),
    indexes: [],
    reservedPrefixes: [],
    noValues: properties.map(() => undefined),
    children: definition.children ?? [],
    notStored: definition.notStored ?? [],
    etagProperty: definition.etagProperty,
    timestampProperty: definition.timestampProperty,
    create,
    createBlank: definition.create === undefined ? blankBuilderOf(name, entityClass) : unfilled,
  };
  if (definition.indexes === undefined || definition.indexes.length === 0) return deepFreeze(model);
  const indexes = buildIndexes(model, definition, (of, snapshotValue) =>
    emptyImage(of, options, snapshotValue, [rowProperty]),
  );
  for (const { rows } of indexes) deepFreeze(rows);
  return deepFreeze({ ...model, indexes, reservedPrefixes: indexes.map(({ prefix }) => prefix) });
}

const none: readonly PropertyModel[] = Object.freeze([]);

/** @throws ModelError `model.option` */
function settingsOf(entity: string, { options, indexes = [] }: EntityDefinition): TableSettings {
  checkValues(entity, options, tableChecks, { entity });
  const overTable = indexes.find(({ over }) => over === "table");
  if (overTable !== undefined && options.proof === "content")
    throw new ModelError(
      "model.option",
      `${entity} declares proof: "content", but its index ${overTable.name} is unique over the table, which needs markers. Leave proof out.`,
      { entity, index: overTable.name },
    );
  const { separator: _separator, ...settings } = options;
  const implied = overTable === undefined ? {} : { proof: "marker" as const };
  const withDefaults = { ...defaultSettings, ...implied, ...given(settings) };
  for (const name of [withDefaults.kindProperty, withDefaults.versionProperty])
    if (!isPropertyName(name) || isReserved(name) || name === rowProperty) throw invalidName(entity, name);
  return withDefaults;
}

const defaultSettings: TableSettings = {
  kindProperty: "Kind",
  versionProperty: "SchemaVersion",
  unknownKind: "error",
  proof: "content",
  outbox: false,
  indexStates: "recorded",
};

function versionModel(
  entity: string,
  version: EntityDefinition["version"],
  { versionProperty: storedName, kindProperty }: TableSettings,
  properties: readonly PropertyModel[],
): VersionModel | undefined {
  if (version === undefined) return undefined;
  const chain = typeof version === "object" ? version : undefined;
  const number = typeof version === "object" ? version.version : version;
  if (!Number.isInteger(number) || number < 1 || number > 2_147_483_647)
    throw new ModelError(
      "model.version",
      `${entity} has a version that is not a positive integer. Count from 1.`,
      { entity },
    );
  const others = [storedName, kindProperty, rowProperty];
  const isFree = (name: string): boolean =>
    isPropertyName(name) && !isReserved(name) && !others.includes(name);
  if (chain !== undefined) {
    checkFollows(entity, chain, properties, isFree);
    checkSupported(entity, chain, properties);
  }
  const lowest = chain?.lowest ?? number;
  return { number, storedName, lowest, isShared: lowest < number, chain };
}

/** @throws ModelError `model.kind` for a kind that its rows do not show */
function kindModel(
  entity: string,
  { name, ...settings }: KindDefinition,
  storedName: string,
  separator: string,
): KindModel {
  checkValues(`The kind ${name} of ${entity}`, settings, kindChecks, { entity, kind: name });
  const { key, formerly = [], stored = true, when } = settings;
  if (!stored && key === undefined && when === undefined)
    throw new ModelError(
      "model.kind",
      `${entity} is a kind that its rows do not show: stored is false, and it has neither key nor when. Give it one of them.`,
      { entity, kind: name },
    );
  const names = [name, ...formerly];
  const hasName = (row: StoredEntity): boolean =>
    names.some((each) => each === row.RowKey || beginsOrEnds(row.RowKey, key, each, separator));
  const isOfKind = when === undefined ? hasName : judgingOnly(entity, when);
  return { name, storedName, isStored: stored, key, names, isOfKind: stored ? undefined : isOfKind };
}

/** Gives a user's test a copy of the row, since the row is read into an entity afterwards. */
const judgingOnly = (
  entity: string,
  when: (row: StoredEntity) => boolean,
): ((row: StoredEntity) => boolean) => {
  const refuse = (_row: StoredEntity, property: string | symbol): never => {
    throw new StateError(
      "validator.changed-entity",
      `"when" of ${entity} changes ${String(property)} of the row that it tests. It must not change the row.`,
      { entity, property: String(property) },
    );
  };
  const guard: ProxyHandler<StoredEntity> = { set: refuse, deleteProperty: refuse, defineProperty: refuse };
  return (row) => when(new Proxy(row, guard));
};

const beginsOrEnds = (rowKey: string, key: KindModel["key"], name: string, separator: string): boolean =>
  key === "prefix" ? rowKey.startsWith(name + separator) : rowKey.endsWith(separator + name);

function propertyModel(
  entity: string,
  { name, type, place }: PlacedDefinition,
  initials: InitialValues,
): PropertyModel {
  const path = { entity, property: name };
  const storedName = type.storedName ?? name;
  if (!isPropertyName(storedName) || isReserved(storedName)) throw invalidName(entity, storedName);
  return {
    name,
    ...storedUnder(storedName),
    serializer: type.otherTypes.length === 0 ? type.serializer : alsoReads(type.serializer, type.otherTypes),
    presence: type.presence === "filled" ? "required" : type.presence,
    fill: type.fill,
    onSave: type.saveFill,
    ...(place === undefined ? initialOf(type, path, initials) : noInitial),
    isHidden: type.plain === "hidden",
    isStoredAsOther: type.otherTypes.length > 0,
    lastInitial: {},
    path,
    place,
  };
}

/** A row without the leaf has no value for it. */
const noInitial: Pick<PropertyModel, "initial" | "hasInitial" | "defaultStored"> = {
  initial: undefined,
  hasInitial: () => false,
  defaultStored: () => undefined,
};

/**
 * A default in the declaration is known immediately; a default that a constructor assigns, once an instance was built.
 */
function initialOf(
  type: PropertyDefinition["type"],
  path: PropertyModel["path"],
  initials: InitialValues,
): Pick<PropertyModel, "initial" | "hasInitial" | "defaultStored"> {
  if (type.presence === "default") {
    const stored = encodeDefault(type, path);
    return { initial: defaultOf(path.property, type), hasInitial: () => true, defaultStored: () => stored };
  }
  let stored: { readonly value: StoredValue | undefined } | undefined;
  return {
    initial: undefined,
    hasInitial: () => initials.has(path.property),
    defaultStored: () => (stored ??= { value: initials.stored(type.serializer, path) }).value,
  };
}

/** A default that is so close to now was made by new Date(). */
const aMinuteMs = 60_000;

function encodeDefault(type: PropertyDefinition["type"], path: PropertyModel["path"]): StoredValue {
  if (Math.abs(Date.now() - timeOf(type.defaultValue)) < aMinuteMs)
    throw new ModelError(
      "model.default",
      `${path.entity}.${path.property} has the time of its declaration as its default, for every entity. Write default(() => new Date()), or createdAt().`,
      { ...path },
    );
  try {
    return type.serializer.encode(type.defaultValue, path);
  } catch (cause) {
    throw new ModelError(
      "model.default",
      `${path.entity}.${path.property} has a default that its own type ${type.serializer.name} does not accept.`,
      { ...path },
      { cause },
    );
  }
}

/** Built by JSON.parse, which makes fast objects with any names. */
function emptyImage(
  { kind, version }: EntityDefinition,
  { kindProperty, versionProperty }: TableSettings,
  properties: readonly PropertyModel[],
  others: readonly string[] = [],
): StoredEntity {
  const names = [
    "PartitionKey",
    "RowKey",
    ...others,
    ...(kind === undefined || kind.stored === false ? [] : [kindProperty]),
    ...(version === undefined ? [] : [versionProperty]),
    ...properties.flatMap(({ serializer, storedName, annotationName }) =>
      serializer.annotation === "never" ? [storedName] : [annotationName, storedName],
    ),
  ];
  const image = JSON.parse(`{${names.map((name) => `${JSON.stringify(name)}:null`).join(",")}}`) as Record<
    string,
    unknown
  >;
  for (const name of names) image[name] = undefined;
  return image as unknown as StoredEntity;
}

/** Freezes plain data deeply; serializers, formats and classes in it are not frozen. */
function deepFreeze(model: EntityModel): EntityModel {
  for (const part of [model.partitionKey, model.rowKey]) Object.freeze(Object.freeze(part).parts);
  for (const property of model.properties) Object.freeze(property);
  for (const value of [
    model.options,
    model.kind,
    model.kind?.names,
    model.version,
    model.keyProperties,
    model.derivedParts,
    model.generated,
    model.properties,
    model.filled,
    model.savedFills,
    model.indexes,
    ...model.indexes,
    model.reservedPrefixes,
  ])
    Object.freeze(value);
  return Object.freeze(model);
}
