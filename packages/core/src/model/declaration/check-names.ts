import { ModelError } from "../../values/errors/model-error.ts";
import { isDerived } from "../../values/keys/derived-format.ts";
import { isReadableTable, maxProperties } from "../../storage/limits.ts";
import type { EntityDefinition } from "./entity-definition.ts";
import { type PropertyModel, rowProperty, type TableSettings } from "./entity-model.ts";

/** Whether objects or promises already have a member of this name, so a row without it would seem to have it. */
export const isReserved = (name: string): boolean =>
  name in Object.prototype || name === "prototype" || name === "then" || name === "toJSON";

/** The table's name. @throws ModelError `model.no-table`, `model.table-name` */
export function checkTable(entity: string, table: string | undefined): string {
  if (table === undefined)
    throw new ModelError(
      "model.no-table",
      `${entity} has no table. Write @Table("Name") on it or on its base class.`,
      { entity },
    );
  if (!isReadableTable(table))
    throw new ModelError(
      "model.table-name",
      `${entity} names the table "${table}", which the service does not accept: 3 to 63 letters and digits, starting with a letter, and not "tables".`,
      { entity, table },
    );
  return table;
}

/** Checks that each property is declared once, under a name that can be assigned. */
export function checkNames(
  entity: string,
  { partitionKey, rowKey, properties, notStored = [], ...rest }: EntityDefinition,
): void {
  const { etagProperty, timestampProperty, children = [] } = rest;
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
        `${entity}.${name} has a name that every object has. Rename the property; you can set its stored name separately.`,
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
  const both = notStored.find((name) => seen.has(name));
  if (both === undefined) return;
  throw new ModelError(
    "model.property-twice",
    `${entity}.${both} is declared as not stored, and declared elsewhere as well. Keep one of the two declarations.`,
    { entity, property: both },
  );
}

/** Checks that a class has a PartitionKey and a RowKey. A base of kinds may leave the RowKey to its kinds. */
export function checkKeysPresent(
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
  // A base of kinds may leave the RowKey to them, but cannot be stored itself; a kind or a plain class needs both keys.
  if (isEmpty || missing === "PartitionKey" || (missing === "RowKey" && kind !== undefined))
    throw new ModelError(
      "model.key-missing",
      `${entity} declares no ${missing ?? "keys"}. Mark at least one property as its ${missing ?? "PartitionKey and RowKey"}.`,
      { entity, key: missing },
    );
}

/** Checks that no two properties have the same stored name, and that there are not too many. */
export function checkStoredNames(
  entity: string,
  properties: readonly PropertyModel[],
  { kind, version }: EntityDefinition,
  { kindProperty, versionProperty }: TableSettings,
): void {
  const taken = new Map([[rowProperty, "the mark of rows that are not entities"]]);
  if (kind !== undefined && kind.stored !== false) taken.set(kindProperty, "the kind");
  if (version !== undefined) taken.set(versionProperty, "the version");
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
  // Entities do not have the property `_row`.
  const count = taken.size - 1;
  if (count > maxProperties)
    throw new ModelError(
      "model.too-many-properties",
      `${entity} stores ${count} properties; the service stores at most ${maxProperties}. Put some together as JSON.`,
      { entity, count },
    );
}

/** The error for a stored name that the service does not accept. */
export function invalidName(entity: string, name: string): ModelError {
  return new ModelError(
    "model.property-name",
    `${entity} stores a property as "${name}", which the service does not accept: an identifier of at most 255 characters, not PartitionKey, RowKey or Timestamp, nor a name that every object has. Set another stored name.`,
    { entity, storedName: name },
  );
}
