import type { StoredEntity, StoredValue } from "@partita/core/storage";
import { typedValue } from "@partita/core/protocol";
import { entityLink } from "./parse-path.ts";
import { type Payload, type ShownProperty, shownProperties } from "./payload.ts";

/** The location of entities, for their links. */
export interface EntityPlace {
  readonly base: string;
  readonly account: string;
  readonly table: string;
}

type JsonLevel = Exclude<Payload, "atom">;

export function jsonEntity(
  entity: StoredEntity,
  selected: readonly string[] | undefined,
  level: JsonLevel,
  place: EntityPlace,
): string {
  return `{${metadataOf(level, place, selected)}${entityMembers(entity, selected, level, place).join(",")}}`;
}

/** The first member of an entity that is the whole response, with a comma. */
export const metadataOf = (
  level: JsonLevel,
  { base, table }: EntityPlace,
  selected: readonly string[] | undefined,
): string =>
  level === "none"
    ? ""
    : `${member("odata.metadata", `${base}/$metadata#${table}/@Element${selection(selected)}`)},`;

/** The selected names in the order of the request, as in recordings of the service. */
const selection = (selected: readonly string[] | undefined): string =>
  selected === undefined ? "" : `&$select=${selected.join(",")}`;

/** Prints one of several entities. */
export const jsonRow = (
  entity: StoredEntity,
  selected: readonly string[] | undefined,
  level: JsonLevel,
  place: EntityPlace,
): string => `{${entityMembers(entity, selected, level, place).join(",")}}`;

/** A printed row, as text or UTF-8 bytes. */
export type PrintedRow = string | Buffer;

/** @param rows - results of `jsonRow` or `printBody` */
export function jsonEntities(
  rows: readonly PrintedRow[],
  selected: readonly string[] | undefined,
  level: JsonLevel,
  { base, table }: EntityPlace,
): Buffer {
  const context = `${base}/$metadata#${table}${selection(selected)}`;
  const metadata = level === "none" ? "" : `${member("odata.metadata", context)},`;
  const pieces: Buffer[] = [Buffer.from(`{${metadata}"value":[`)];
  for (const [i, row] of rows.entries()) {
    if (i > 0) pieces.push(comma);
    pieces.push(typeof row === "string" ? Buffer.from(row) : row);
  }
  pieces.push(end);
  return Buffer.concat(pieces);
}

const comma = Buffer.from(",");
const end = Buffer.from("]}");

function entityMembers(
  entity: StoredEntity,
  selected: readonly string[] | undefined,
  level: JsonLevel,
  place: EntityPlace,
): string[] {
  const members: string[] = [];
  const etag = entity["odata.etag"];
  if (level === "full") {
    const link = entityLink(place.table, entity);
    members.push(member("odata.type", `${place.account}.${place.table}`));
    members.push(member("odata.id", `${place.base}/${link}`));
    if (etag !== undefined) members.push(member("odata.etag", etag));
    members.push(member("odata.editLink", link));
  } else if (level === "minimal" && etag !== undefined) members.push(member("odata.etag", etag));
  for (const property of shownProperties(entity, selected)) members.push(...propertyMembers(property, level));
  return members;
}

/**
 * A value with its annotation, if this level has annotations. Doubles need none, since a decimal point shows their
 * type.
 */
function propertyMembers([name, value, annotation]: ShownProperty, level: JsonLevel): string[] {
  if (value === null) return [member(name, null)];
  const isDouble = annotation === "Edm.Double" || (typeof value === "number" && !Number.isInteger(value));
  const text = isDouble ? printDouble(value) : JSON.stringify(value);
  const isAnnotated =
    annotation !== undefined &&
    level !== "none" &&
    (name !== "Timestamp" || level === "full") &&
    (!isDouble || text.startsWith('"'));
  const annotated = isAnnotated ? [member(`${name}@odata.type`, annotation)] : [];
  return [...annotated, `${JSON.stringify(name)}:${text}`];
}

/** Prints a Double like the service: whole numbers with a point, NaN and infinities as text. */
function printDouble(stored: StoredValue): string {
  const value = typedValue(stored, "Edm.Double")?.value ?? stored;
  if (value === "-0.0") return "-0.0";
  if (typeof value !== "number") return JSON.stringify(value);
  const text = String(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

export function jsonTables(
  names: readonly string[],
  level: JsonLevel,
  place: Omit<EntityPlace, "table">,
): string {
  const metadata = level === "none" ? "" : `${member("odata.metadata", `${place.base}/$metadata#Tables`)},`;
  const values = names.map((name) => `{${tableMembers(name, level, place).join(",")}}`);
  return `{${metadata}"value":[${values.join(",")}]}`;
}

export function jsonTable(name: string, level: JsonLevel, place: Omit<EntityPlace, "table">): string {
  const metadata = `${place.base}/$metadata#Tables/@Element`;
  const members = level === "none" ? [] : [member("odata.metadata", metadata)];
  return `{${[...members, ...tableMembers(name, level, place)].join(",")}}`;
}

function tableMembers(
  name: string,
  level: JsonLevel,
  { base, account }: Omit<EntityPlace, "table">,
): string[] {
  const own = member("TableName", name);
  if (level !== "full") return [own];
  const link = `Tables('${name}')`;
  return [
    member("odata.type", `${account}.Tables`),
    member("odata.id", `${base}/${link}`),
    member("odata.editLink", link),
    own,
  ];
}

const member = (name: string, value: StoredValue | null): string =>
  `${JSON.stringify(name)}:${JSON.stringify(value)}`;
