import type { EntityModel, PropertyModel } from "../declaration/entity-model.ts";
import { absentValue } from "./absent-values.ts";
import { formatsOf, keyCode } from "./compile-key.ts";
import { assignKey, assignSystemValues } from "./decode-entity.ts";
import { placeEmbedded } from "./embedded-values.ts";
import { keepInitial } from "./initial-value.ts";

/*
 * Writes the code that makes an entity from a row, and its snapshot. Two back ends locate the values:
 * `compile-codec.ts` for parsed rows, `scan/compile-scanner.ts` for bytes. Each property's serializer has the texts
 * for its usual values (`values/edm/value-code.ts`); its functions read all others.
 *
 * In the code: `e` is the entity and `k0`, `k1`, … its snapshot values. Of the property at `i`, `q` is its model, `s`
 * its serializer and `p` its path. Names of properties enter the code only as JSON strings, values not at all.
 */

/** Where a back end has the parts of a row, as expressions. */
export interface RowParts {
  readonly partitionKey: string;
  readonly rowKey: string;
  readonly etag: string;
  readonly timestamp: string;
  /** Code that assigns the property at `i` and, for a snapshot, its snapshot value. */
  readonly property: (property: PropertyModel, i: number) => string;
}

/** The code that makes `e`. */
export function entityCode(model: EntityModel, parts: RowParts): string {
  const { properties, etagProperty, timestampProperty } = model;
  const hasSystemValues = etagProperty !== undefined || timestampProperty !== undefined;
  return [
    "const e = model.createBlank();",
    keyCode(model, "PartitionKey", parts.partitionKey),
    keyCode(model, "RowKey", parts.rowKey),
    ...(hasSystemValues ? [`assignSystemValues(model, e, ${parts.etag}, ${parts.timestamp});`] : []),
    ...leafVariables(model),
    ...properties.map((property, i) => parts.property(property, i)),
  ].join("\n");
}

/** Leaves are read into variables `leaf0`, `leaf1`, …, and the embedded objects are made from them at the end. */
const leafVariables = ({ properties }: EntityModel): string[] =>
  properties.flatMap((property, i) => (isMember(property) ? [] : [`let leaf${i};`]));

/** Whether entities have the property themselves. */
const isMember = ({ place, isOlder }: PropertyModel): boolean => place === undefined && isOlder !== true;

/** Where the value of a property is read into. */
export const targetOf = (property: PropertyModel, i: number): string =>
  isMember(property) ? memberOf(property.name) : `leaf${i}`;

/** The code that makes the embedded objects of `e`, once its properties were read. */
export function placeCode({ embedded, properties }: EntityModel, isTracked: boolean): string {
  if (embedded === undefined) return "";
  const leaves = properties
    .map(({ place }, i) => (place === undefined ? "undefined" : `leaf${i}`))
    .join(", ");
  return ` placeEmbedded(model, e, [${leaves}], ${isTracked ? "{ snapshotValues: values }" : "{}"});`;
}

/** The snapshot of `e`. */
export const snapshotOf = (undeclared: string, age: string, stored?: string): string =>
  `{ values, undeclared: ${undeclared}, isComplete: true, age: ${age}${stored === undefined ? "" : `, stored: ${stored}`} }`;

/** The variables of the snapshot values; of those in entities, or of those that only older releases know. */
export const snapshotValueOf = ({ properties }: EntityModel, isOlder?: true): string =>
  properties.flatMap((property, i) => (property.isOlder === isOlder ? [`k${i}`] : [])).join(", ");

/** A property of `e`. */
export const memberOf = (name: string, of = "e"): string => `${of}[${JSON.stringify(name)}]`;

/** The value of a property that its row lacks. It is assigned again, which makes it a member of every instance. */
export const absentCode = (property: PropertyModel, i: number): string =>
  !isMember(property)
    ? "undefined"
    : property.presence === "optional"
      ? memberOf(property.name)
      : `absentValue(model, q${i}, e)`;

/** The snapshot value of a property that the row lacks. */
export const absentSnapshotValue = (property: PropertyModel, i: number): string => {
  const member = memberOf(property.name);
  return isMember(property)
    ? `${member} === undefined ? undefined : keepInitial(q${i}, ${member})`
    : "undefined";
};

/** The names that all code written for a class may use. */
export function constantsOf(model: EntityModel): Record<string, unknown> {
  const constants: Record<string, unknown> = {
    model,
    assignKey,
    assignSystemValues,
    absentValue,
    keepInitial,
    placeEmbedded,
    ...formatsOf(model, "PartitionKey"),
    ...formatsOf(model, "RowKey"),
  };
  for (const [i, property] of model.properties.entries()) {
    constants[`q${i}`] = property;
    constants[`s${i}`] = property.serializer;
    constants[`p${i}`] = property.path;
    Object.assign(constants, property.serializer.code?.names);
  }
  return constants;
}
