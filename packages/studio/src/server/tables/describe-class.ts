import type { EntityClass } from "@partita/core";
import type { AnyKeyFormat } from "@partita/core/keys";
import type { EdmType, EntityModel, PropertyModel } from "@partita/core/models";
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
  const keys = model.keyProperties.map(({ name, key }): Field => {
    const property = properties.get(name);
    // A part that is made from a property has that property's type. Other parts declare their own.
    const type = property === undefined ? typeOfPart(partNamed(model, name)) : typeOfProperty(property);
    return { name, type, key, isRequired: true, values: property && valuesOf(property) };
  });
  const ofKeys = new Set(keys.map(({ name }) => name));
  const others = model.properties
    .filter(({ name }) => !ofKeys.has(name))
    .map((property): Field => {
      const { name, presence } = property;
      const isRequired = presence === "required";
      return { name, type: typeOfProperty(property), isRequired, values: valuesOf(property) };
    });
  return [...keys, ...others];
}

/** The format of a key part that is not also a property. Undefined for other names. */
export function partNamed(model: EntityModel, name: string): AnyKeyFormat | undefined {
  if (model.properties.some((property) => property.name === name)) return undefined;
  const found = model.keyProperties.find((each) => each.name === name);
  if (found === undefined) return undefined;
  const { parts } = found.key === "PartitionKey" ? model.partitionKey : model.rowKey;
  return parts[found.index]?.format;
}

function typeOfProperty({ serializer }: PropertyModel): CellType {
  return serializer.isJson === true ? "Json" : cellType(serializer.edm);
}

const typeOfPart = (format: AnyKeyFormat | undefined): CellType => cellType(format?.edm ?? "Edm.String");

const cellType = (edm: EdmType): CellType => edm.slice("Edm.".length) as CellType;

/** The possible values of an enum. */
const valuesOf = ({ serializer }: PropertyModel): readonly string[] | undefined =>
  serializer.plainSchema["enum"] as readonly string[] | undefined;
