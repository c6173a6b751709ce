import type { EntityClass } from "@partita/core";
import type { EntityModel, PropertyModel } from "@partita/core/models";
import type { CellType } from "../../api/cells.ts";
import type { ClassInfo, Field } from "../../api/tables.ts";

/** A class of the module, with a name that is unique in its table. */
export interface KnownClass {
  readonly name: string;
  readonly entityClass: EntityClass;
  readonly model: EntityModel;
}

/** A class in the page's words. @param others - the classes of its table, including its children */
export function describeClass({ name, model }: KnownClass, others: readonly KnownClass[]): ClassInfo {
  const children = new Set(model.children.map(({ of }) => of()));
  return {
    name,
    kind: model.kind?.name,
    version: model.version?.number,
    hasUpgrades: model.version?.chain !== undefined,
    fields: fieldsOf(model),
    children: others.filter(({ entityClass }) => children.has(entityClass)).map((each) => each.name),
    indexes: model.indexes.filter(({ state }) => state === "ready").map((index) => index.name),
  };
}

/** The fields of a class's form: key parts first, then its properties. */
export function fieldsOf(model: EntityModel): Field[] {
  const properties = new Map(model.properties.map((property) => [property.name, property]));
  const keys = model.keyProperties.map(({ name, key, index }): Field => ({
    name,
    // A part that is derived from a property has that property's type. Other parts are edited as text.
    type: typeOfProperty(properties.get(name)) ?? typeOfPart(model, key, index),
    key,
    isRequired: true,
  }));
  const ofKeys = new Set(keys.map(({ name }) => name));
  const others = model.properties
    .filter(({ name }) => !ofKeys.has(name))
    .map((property): Field => {
      const type = typeOfProperty(property) ?? "String";
      return { name: property.name, type, isRequired: property.presence === "required" };
    });
  return [...keys, ...others];
}

function typeOfProperty(property: PropertyModel | undefined): CellType | undefined {
  if (property === undefined) return undefined;
  if (property.serializer.isJson === true) return "Json";
  return property.serializer.edm.slice("Edm.".length) as CellType;
}

/** The type of a key part, found by trying values. */
function typeOfPart(model: EntityModel, key: "PartitionKey" | "RowKey", index: number): CellType {
  const template = key === "PartitionKey" ? model.partitionKey : model.rowKey;
  const format = template.parts[index]?.format;
  if (format === undefined) return "String";
  const samples: readonly (readonly [CellType, unknown])[] = [
    ["DateTime", new Date(0)],
    ["Int32", 1],
    ["Int64", 1n],
  ];
  return samples.find(([, sample]) => format.encode(sample) !== undefined)?.[0] ?? "String";
}
