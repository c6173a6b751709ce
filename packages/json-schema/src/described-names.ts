import { printPlain, printProperty, readPlain, readPlainProperty, rootOf } from "@partita/core/internal";
import { type EmbeddedModel, type EntityModel, modelOf, type PropertyModel } from "@partita/core/models";

/** JSON Schema 2020-12. Its keywords also exist in draft-07, and in the schemas of OpenAPI 3.1. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A name of a class in plain data: its schema, and who sets it. */
export interface DescribedName {
  readonly name: string;
  readonly schema: JsonSchema;
  /**
   * Reads a value from plain data, and prints it again.
   *
   * @throws SerializationError or KeyError if it could not be stored
   */
  readonly read?: (value: unknown) => unknown;
  /** The class of a list's members. */
  readonly members?: EntityModel;
  /** The names of an embedded object. */
  readonly inner?: readonly DescribedName[];
  /** When a client's data may set it. */
  readonly isSet: "always" | "when new" | "never";
  /** Whether a new entity has no value unless the data contains one. */
  readonly isNeeded: boolean;
  /** Whether plain data of a stored entity always has it. */
  readonly isAlwaysThere: boolean;
  /** Whether null in a patch clears the value. */
  readonly isClearable: boolean;
}

/** The names in plain data of a class, keys first, without hidden ones and the kind. */
export const describedNames = (model: EntityModel): readonly DescribedName[] => [
  ...keyNames(model),
  ...propertyNames(model),
  ...listNames(model),
  ...systemNames(model),
];

function keyNames(model: EntityModel): DescribedName[] {
  const { keyProperties, generated, options, partitionKey, rowKey } = model;
  return keyProperties.map(({ name, key, index }) => {
    const { parts } = key === "PartitionKey" ? partitionKey : rowKey;
    const format = parts[index]?.format;
    const isScope = name === options.scopedBy;
    const isMade = format?.literal !== undefined || generated.some((each) => each.name === name);
    return {
      name,
      schema: format?.plainSchema ?? {},
      read: (value) => printPlain(model, name, readPlain(model, name, value)),
      // The context of a tenant sets it.
      isSet: isScope ? "never" : "when new",
      isNeeded: !isMade && !isScope,
      isAlwaysThere: true,
      isClearable: false,
    };
  });
}

/** Stored properties. Embedded objects replace the properties inside them. */
function propertyNames({ properties, options }: EntityModel): DescribedName[] {
  const objects = new Set<EmbeddedModel>();
  return properties.flatMap((property) => {
    if (property.place === undefined)
      return property.isHidden ? [] : [describeProperty(property, options.scopedBy)];
    const of = rootOf(property.place.of);
    if (objects.has(of)) return [];
    objects.add(of);
    return [describeObject(of)];
  });
}

function describeProperty(property: PropertyModel, scopedBy?: string): DescribedName {
  const { name, place, serializer, presence, fill, onSave, hasInitial } = property;
  return {
    name: place?.member ?? name,
    schema: serializer.plainSchema,
    read: (value) => printProperty(property, readPlainProperty(property, value)),
    isSet: onSave === undefined && name !== scopedBy ? "always" : "never",
    isNeeded: presence === "required" && name !== scopedBy && fill === undefined && !hasInitial(),
    isAlwaysThere: presence !== "optional",
    isClearable: presence === "optional" && serializer.isJson !== true,
  };
}

const describeObject = ({ member, leaves, parts, isRequired }: EmbeddedModel): DescribedName => ({
  name: member,
  schema: { type: "object" },
  inner: [
    ...leaves.filter(({ isHidden }) => !isHidden).map((leaf) => describeProperty(leaf)),
    ...parts.map(describeObject),
  ],
  isSet: "always",
  isNeeded: isRequired,
  isAlwaysThere: isRequired,
  isClearable: !isRequired,
});

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

/** An entity has them after it was read or saved. */
const systemNames = ({ etagProperty, timestampProperty }: EntityModel): DescribedName[] =>
  [
    { name: etagProperty, schema: { type: "string" } },
    { name: timestampProperty, schema: { type: "string", format: "date-time" } },
  ].flatMap(({ name, schema }): DescribedName[] =>
    name === undefined
      ? []
      : [{ name, schema, isSet: "never", isNeeded: false, isAlwaysThere: false, isClearable: false }],
  );
