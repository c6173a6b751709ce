import { type EntityModel, modelOf, type PropertyModel } from "@partita/core/models";

/** JSON Schema 2020-12. Its keywords are in draft-07 as well, and in the schemas of OpenAPI 3.1. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A name of a class in plain data: what its values are, and who sets them. */
export interface DescribedName {
  readonly name: string;
  readonly schema: JsonSchema;
  /** The class of a list's members. */
  readonly members?: EntityModel;
  /** When data of a client may set it. */
  readonly isSet: "always" | "when new" | "never";
  /** Whether a new entity has no value unless the data gives one. */
  readonly isNeeded: boolean;
  /** Whether plain data of a stored entity has it. */
  readonly isAlwaysThere: boolean;
  /** Whether null, in data of a patch, takes the value away. */
  readonly isClearable: boolean;
}

/** The names that plain data of a class has, without hidden ones and the kind: keys first. */
export const describedNames = (model: EntityModel): readonly DescribedName[] => [
  ...keyNames(model),
  ...model.properties.filter(({ isHidden }) => !isHidden).map(describeProperty),
  ...listNames(model),
  ...systemNames(model),
];

function keyNames({ keyProperties, generated, ...templates }: EntityModel): DescribedName[] {
  return keyProperties.map(({ name, key, index }) => {
    const { parts } = key === "PartitionKey" ? templates.partitionKey : templates.rowKey;
    const format = parts[index]?.format;
    const isMade = format?.literal !== undefined || generated.some((each) => each.name === name);
    return {
      name,
      schema: format?.plainSchema ?? {},
      isSet: "when new",
      isNeeded: !isMade,
      isAlwaysThere: true,
      isClearable: false,
    };
  });
}

function describeProperty(property: PropertyModel): DescribedName {
  const { name, serializer, presence, fill, onSave, hasInitial } = property;
  return {
    name,
    schema: serializer.plainSchema,
    isSet: onSave === undefined ? "always" : "never",
    isNeeded: presence === "required" && fill === undefined && !hasInitial(),
    isAlwaysThere: presence !== "optional",
    isClearable: presence === "optional" && serializer.isJson !== true,
  };
}

const listNames = ({ children }: EntityModel): DescribedName[] =>
  children.map(({ property, of, isOwned }) => ({
    name: property,
    schema: { type: "array" },
    members: modelOf(of()),
    isSet: isOwned === true ? "always" : "never",
    isNeeded: false,
    isAlwaysThere: false,
    isClearable: false,
  }));

/** An entity has them once it was read or saved. */
const systemNames = ({ etagProperty, timestampProperty }: EntityModel): DescribedName[] =>
  [
    { name: etagProperty, schema: { type: "string" } },
    { name: timestampProperty, schema: { type: "string", format: "date-time" } },
  ].flatMap(({ name, schema }): DescribedName[] =>
    name === undefined
      ? []
      : [{ name, schema, isSet: "never", isNeeded: false, isAlwaysThere: false, isClearable: false }],
  );
