import type { AnySerializer } from "../../../values/edm/serializer.ts";
import { annotationOf } from "../../../values/edm/stored-entity.ts";
import type { EntityModel, PropertyModel } from "../../declaration/entity-model.ts";
import { labelsOf, type SystemMember, systemMemberOf } from "../row-layout.ts";

/** One member of a row, and its role in the class. */
export type RowMember =
  | { readonly type: "system"; readonly name: string; readonly part: SystemMember }
  /** Kind and version: the same in every row of the class. */
  | { readonly type: "label"; readonly name: string; readonly value: string | number }
  | PropertyMember;

/** A property that the class declares. */
export interface PropertyMember {
  readonly type: "property";
  readonly name: string;
  /** The position of the property in the model. */
  readonly index: number;
  readonly annotation: string | undefined;
}

/** The order of the members in the rows of a class. A row may lack some of them. */
export type MemberOrder = readonly RowMember[];

/**
 * The order of a row's members; undefined if only the codec can read one of them, such as an undeclared one, or if
 * the row lacks its kind or version: a row without a version has the first one.
 *
 * @param row - the parsed row, before any change to it
 */
export function orderOfRow(
  model: EntityModel,
  row: Readonly<Record<string, unknown>>,
): MemberOrder | undefined {
  const order: RowMember[] = [];
  const labels = labelsOf(model);
  for (const name of Object.keys(row)) {
    if (name.endsWith("@odata.type") && row[name.slice(0, -"@odata.type".length)] !== undefined) continue;
    const member = memberOf(model, labels, row, name);
    if (member === undefined) return undefined;
    order.push(member);
  }
  return order.filter(({ type }) => type === "label").length === labels.size ? order : undefined;
}

function memberOf(
  model: EntityModel,
  labels: ReadonlyMap<string, string | number>,
  row: Readonly<Record<string, unknown>>,
  name: string,
): RowMember | undefined {
  const part = systemMemberOf(name);
  if (part !== undefined) return { type: "system", name, part };
  const value = labels.get(name);
  if (value !== undefined) return row[name] === value ? { type: "label", name, value } : undefined;
  const index = model.properties.findIndex((property) => property.storedName === name);
  const property = model.properties[index];
  return property && propertyMember(property, index, row);
}

function propertyMember(
  { storedName, serializer }: PropertyModel,
  index: number,
  row: Readonly<Record<string, unknown>>,
): RowMember | undefined {
  const annotation = row[annotationOf(storedName)];
  if (annotation !== undefined && typeof annotation !== "string") return undefined;
  // A point shows a Double, and so does its annotation: both are read.
  const isEither = mayBeTyped(serializer) && annotation === serializer.edm;
  return { type: "property", name: storedName, index, annotation: isEither ? undefined : annotation };
}

/** Whether code reads values of a property with their type and without. */
export const mayBeTyped = ({ code, annotation }: AnySerializer): boolean =>
  code !== undefined && annotation === "sometimes";

/** An order that fits the rows of both; undefined if they contradict each other. */
export function mergeOrders(a: MemberOrder, b: MemberOrder): MemberOrder | undefined {
  const merged: RowMember[] = [];
  const positions = new Map(a.map((member, i) => [idOf(member), i]));
  let next = 0;
  for (const member of b) {
    const at = positions.get(idOf(member));
    if (at === undefined) merged.push(member);
    else if (at < next) return undefined;
    else {
      merged.push(...a.slice(next, at + 1));
      next = at + 1;
    }
  }
  merged.push(...a.slice(next));
  const names = new Set(merged.map(({ name }) => name));
  return names.size === merged.length ? merged : undefined;
}

const idOf = (member: RowMember): string =>
  `${member.name}\0${member.type === "property" ? (member.annotation ?? "") : member.type}`;

/** Whether rows of the one order have the other order too, with some members absent. */
export function isWithin(order: MemberOrder, whole: MemberOrder): boolean {
  const merged = mergeOrders(whole, order);
  return merged !== undefined && merged.length === whole.length;
}
