import { acceptStoredAs } from "../edm/stored-as.ts";
import { annotationOf, type StoredEntity, type StoredValue } from "../edm/stored-entity.ts";
import { ModelError } from "../errors/model-error.ts";
import { isDerived } from "../keys/derived-format.ts";
import { buildKeys } from "./build-keys.ts";
import { checkFollows } from "./check-versions.ts";
import { buildBlank } from "./blank-instance.ts";
import { undeclaredPolicies } from "./undeclared-policy.ts";
import { isPropertyName, isTableName, maxProperties } from "../storage/limits.ts";
import type {
  KindDefinition,
  EntityClass,
  EntityDefinition,
  PropertyDefinition,
  TableOptions,
} from "./entity-definition.ts";
import {
  type VersionModel,
  type KindModel,
  type EntityModel,
  type PropertyModel,
  type TableSettings,
  writeHistoryProperty,
  writeIdProperty,
} from "./entity-model.ts";

/** Whether objects or promises already give this name a meaning, so that a row without it would seem to have it. */
const isReserved = (name: string): boolean =>
  name in Object.prototype || name === "prototype" || name === "then" || name === "toJSON";

/**
 * Validates a definition and freezes it into a model.
 *
 * @throws ModelError naming class, property and remedy
 */
export function buildModel(entityClass: EntityClass, definition: EntityDefinition): EntityModel {
  const name = entityClass.name || definition.kind?.name || definition.table || "an unnamed class";
  const options = checkOptions(name, definition.options);
  const table = checkTable(name, definition.table);
  checkNames(name, definition);
  const keys = buildKeys(name, definition);
  checkKeysPresent(name, definition);
  const properties = definition.properties.map((property) => propertyModel(name, property));
  checkStoredNames(name, properties, definition, options);

  return deepFreeze({
    entityClass,
    name,
    table,
    options,
    kind: definition.kind && kindModel(name, definition.kind, options.kindProperty, keys.rowKey.separator),
    version: versionModel(name, definition.version, options, properties),
    ...keys,
    properties,
    emptyImage: emptyImage(definition, options, properties),
    noValues: properties.map(() => undefined),
    children: definition.children ?? [],
    notStored: definition.notStored ?? [],
    etagProperty: definition.etagProperty,
    timestampProperty: definition.timestampProperty,
    create: definition.create ?? (() => construct(name, () => new (entityClass as new () => object)())),
    createBlank: definition.create ?? (() => construct(name, () => buildBlank(entityClass))),
  });
}

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

function checkOptions(entity: string, options: TableOptions): TableSettings {
  const {
    kindProperty = "Kind",
    versionProperty = "SchemaVersion",
    unknownKind = "error",
    writeId = false,
    undeclared,
    strictReads,
  } = options;
  for (const name of [kindProperty, versionProperty]) {
    if (!isPropertyName(name) || isReserved(name)) throw invalidName(entity, name);
  }
  if (undeclared !== undefined && !undeclaredPolicies.includes(undeclared))
    throw new ModelError(
      "model.option",
      `${entity} says undeclared: it takes ${undeclaredPolicies.map((one) => `"${one}"`).join(", ")}.`,
      { entity },
    );
  return {
    kindProperty,
    versionProperty,
    unknownKind,
    writeId,
    ...(undeclared !== undefined && { undeclared }),
    ...(strictReads !== undefined && { strictReads }),
  };
}

function checkTable(entity: string, table: string | undefined): string {
  if (table === undefined)
    throw new ModelError(
      "model.no-table",
      `${entity} has no table. Write @Table("Name") on it or on its base class.`,
      { entity },
    );
  if (!isTableName(table))
    throw new ModelError(
      "model.table-name",
      `${entity} names the table "${table}", which the service does not take: 3 to 63 letters and digits, beginning with a letter, and not "tables".`,
      { entity, table },
    );
  return table;
}

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
  const others = [storedName, kindProperty, writeIdProperty, writeHistoryProperty];
  const isFree = (name: string): boolean =>
    isPropertyName(name) && !isReserved(name) && !others.includes(name);
  if (chain !== undefined) checkFollows(entity, chain, properties, isFree);
  return { number, storedName, chain };
}

/** @throws ModelError `model.kind` for a kind that nothing in its rows would tell */
function kindModel(
  entity: string,
  { name, key, formerly = [], stored = true, when }: KindDefinition,
  storedName: string,
  separator: string,
): KindModel {
  if (!stored && key === undefined && when === undefined)
    throw new ModelError(
      "model.kind",
      `${entity} is a kind that nothing in its rows tells: stored is false, and it has neither key nor when. Give it one of them.`,
      { entity, kind: name },
    );
  const names = [name, ...formerly];
  const hasName = (row: StoredEntity): boolean =>
    names.some((each) => each === row.RowKey || beginsOrEnds(row.RowKey, key, each, separator));
  return { name, storedName, isStored: stored, key, names, isOfKind: stored ? undefined : (when ?? hasName) };
}

const beginsOrEnds = (rowKey: string, key: KindModel["key"], name: string, separator: string): boolean =>
  key === "prefix" ? rowKey.startsWith(name + separator) : rowKey.endsWith(separator + name);

/** Each class property is declared once, under a name that may be assigned. */
function checkNames(
  entity: string,
  { partitionKey, rowKey, properties, etagProperty, timestampProperty, children = [] }: EntityDefinition,
): void {
  const seen = new Set<string>();
  const system = [etagProperty, timestampProperty, ...children.map((each) => each.property)].filter(
    (name) => name !== undefined,
  );
  const names = [
    ...[...partitionKey, ...rowKey].filter(({ format }) => !isDerived(format)).map((p) => p.property),
    ...properties.map((p) => p.name),
    ...system,
  ];
  for (const name of names) {
    if (isReserved(name))
      throw new ModelError(
        "model.reserved-name",
        `${entity}.${name} has a name that objects use themselves. Rename the property; its stored name may be set apart.`,
        { entity, property: name },
      );
    if (seen.has(name))
      throw new ModelError(
        "model.property-twice",
        `${entity}.${name} is declared twice. A property is either one key part or one stored property: the key already stores its value.`,
        { entity, property: name },
      );
    seen.add(name);
  }
}

function checkKeysPresent(
  entity: string,
  { partitionKey, rowKey, kind, properties }: EntityDefinition,
): void {
  const isEmpty = partitionKey.length === 0 && rowKey.length === 0 && properties.length === 0;
  const missing =
    partitionKey.length === 0
      ? "PartitionKey"
      : rowKey.length === 0 && kind?.key === undefined
        ? "RowKey"
        : undefined;
  // A base of kinds may leave the RowKey to them, but it cannot be stored itself; a kind or a plain class needs both.
  if (isEmpty || missing === "PartitionKey" || (missing === "RowKey" && kind !== undefined))
    throw new ModelError(
      "model.key-missing",
      `${entity} declares no ${missing ?? "keys"}. Mark at least one property as its ${missing ?? "PartitionKey and RowKey"}.`,
      { entity, key: missing },
    );
}

function propertyModel(entity: string, { name, type }: PropertyDefinition): PropertyModel {
  const path = { entity, property: name };
  const storedName = type.storedName ?? name;
  if (!isPropertyName(storedName) || isReserved(storedName)) throw invalidName(entity, storedName);
  return {
    name,
    storedName,
    annotationName: annotationOf(storedName),
    serializer:
      type.otherTypes.length === 0 ? type.serializer : acceptStoredAs(type.serializer, type.otherTypes),
    presence: type.presence,
    defaultStored: type.presence === "default" ? encodeDefault(type, path) : undefined,
    isStoredAsOther: type.otherTypes.length > 0,
    overheadBytes: 8 + 2 * storedName.length,
    path,
  };
}

function encodeDefault(type: PropertyDefinition["type"], path: PropertyModel["path"]): StoredValue {
  try {
    return type.serializer.encode(type.defaultValue, path);
  } catch (cause) {
    throw new ModelError(
      "model.default",
      `${path.entity}.${path.property} has a default that its own type ${type.serializer.name} does not take.`,
      { ...path },
      { cause },
    );
  }
}

/** Built by JSON.parse, which makes fast objects of any names. */
function emptyImage(
  { kind, version }: EntityDefinition,
  { kindProperty, versionProperty }: TableSettings,
  properties: readonly PropertyModel[],
): StoredEntity {
  const names = [
    "PartitionKey",
    "RowKey",
    ...(kind === undefined || kind.stored === false ? [] : [kindProperty]),
    ...(version === undefined ? [] : [versionProperty]),
    ...properties.flatMap(({ serializer, storedName, annotationName }) =>
      mayBeAnnotated(serializer) ? [annotationName, storedName] : [storedName],
    ),
  ];
  const image = JSON.parse(`{${names.map((name) => `${JSON.stringify(name)}:null`).join(",")}}`) as Record<
    string,
    unknown
  >;
  for (const name of names) image[name] = undefined;
  return image as unknown as StoredEntity;
}

const mayBeAnnotated = ({ edm }: PropertyModel["serializer"]): boolean =>
  edm !== "Edm.String" && edm !== "Edm.Boolean" && edm !== "Edm.Int32";

function checkStoredNames(
  entity: string,
  properties: readonly PropertyModel[],
  { kind, version }: EntityDefinition,
  { kindProperty, versionProperty, writeId }: TableSettings,
): void {
  const taken = new Map<string, string>();
  if (kind !== undefined && kind.stored !== false) taken.set(kindProperty, "the kind");
  if (version !== undefined) taken.set(versionProperty, "the version");
  if (writeId) {
    taken.set(writeIdProperty, "the write id");
    taken.set(writeHistoryProperty, "the history of write ids");
  }
  for (const { name, storedName } of properties) {
    const other = taken.get(storedName);
    if (other !== undefined)
      throw new ModelError(
        "model.stored-name-twice",
        `${entity}.${name} is stored as "${storedName}", and so is ${other}. Give one of them another stored name.`,
        { entity, property: name, storedName },
      );
    taken.set(storedName, `${entity}.${name}`);
  }
  if (taken.size > maxProperties)
    throw new ModelError(
      "model.too-many-properties",
      `${entity} stores ${taken.size} properties; the service takes ${maxProperties}. Put some together as JSON.`,
      { entity, count: taken.size },
    );
}

function invalidName(entity: string, name: string): ModelError {
  return new ModelError(
    "model.property-name",
    `${entity} stores a property as "${name}", which the service does not take: an identifier of at most 255 characters, not PartitionKey, RowKey or Timestamp, nor a name that every object has. Set another stored name.`,
    { entity, storedName: name },
  );
}

/** Freezes plain data in depth; serializers, formats and classes inside stay what they are. */
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
    model.properties,
  ])
    Object.freeze(value);
  return Object.freeze(model);
}
