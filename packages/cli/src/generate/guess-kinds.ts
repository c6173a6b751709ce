import type { StoredEntity } from "@partita/core/storage";
import { isSystemName } from "@partita/core/protocol";

/** The discriminator of a table with several classes. */
export interface KindsGuess {
  /** The property that holds a row's kind. Undefined if a key contains it. */
  readonly property: string | undefined;
  /** The key that is the kind or starts with it, if no property holds it. */
  readonly key: "PartitionKey" | "RowKey" | undefined;
  readonly rows: ReadonlyMap<string, readonly StoredEntity[]>;
}

/** More different values are data, not kinds. */
const mostKinds = 30;

/** Common names of such a property. */
const usualName =
  /^(kind|type|entitytype|entity_type|\$type|_type|discriminator|class|classname|recordtype)$/i;

/** The characters of a kind's name. */
const nameOfKind = /^[\p{L}][\p{L}\d.+-]{0,80}$/u;

/**
 * Guesses the discriminator of a table's classes: a text property with few values that determines the other
 * properties of a row. Otherwise the PartitionKey, its first word, or the first word of the RowKeys.
 * Undefined if all rows look alike.
 */
export function guessKinds(rows: readonly StoredEntity[]): KindsGuess | undefined {
  const names = Object.keys(rows[0] ?? {}).filter((name) => !isSystemName(name));
  const byProperty = names
    .flatMap((property) => kindsBy(rows, property) ?? [])
    .toSorted((a, b) => rank(b) - rank(a))
    .at(0);
  return byProperty ?? kindsByPartition(rows) ?? kindsByPrefix(rows, "RowKey");
}

const rank = ({ property, rows }: KindsGuess): number =>
  (usualName.test(property ?? "") ? 1000 : 0) - rows.size;

function kindsBy(rows: readonly StoredEntity[], property: string): KindsGuess | undefined {
  const groups = grouped(rows, (row) => row[property]);
  if (groups === undefined || groups.size > mostKinds) return undefined;
  // A property with a single value is a kind only if its name suggests that.
  const isUsual = usualName.test(property);
  if (!isUsual && (groups.size < 2 || !tellsApart(groups, property))) return undefined;
  return { property, key: undefined, rows: groups };
}

/**
 * Common separators between a kind and the rest of a key. If one is a prefix of another, the longer is first.
 */
export const kindSeparators: readonly string[] = ["__", "_", "!", "|", ":", "~", "-"];

function kindsByPrefix(
  rows: readonly StoredEntity[],
  key: "PartitionKey" | "RowKey",
): KindsGuess | undefined {
  for (const separator of kindSeparators) {
    const groups = grouped(rows, (row) => row[key].split(separator, 1)[0]);
    if (groups === undefined || groups.size < 2 || groups.size > mostKinds) continue;
    const hasRest = rows.some((row) => row[key].includes(separator));
    if (hasRest && tellsApart(groups, undefined)) return { property: undefined, key, rows: groups };
  }
  return undefined;
}

/**
 * Groups by partitions if their rows have different shapes. Optional properties may also differ within one
 * class, so partitions are kinds only if a single class would have mostly optional properties and the classes
 * of the partitions would not.
 */
function kindsByPartition(rows: readonly StoredEntity[]): KindsGuess | undefined {
  if (!isMostlyOptional(rows)) return undefined;
  const byValue = grouped(rows, ({ PartitionKey }) => PartitionKey);
  const found =
    byValue !== undefined && byValue.size > 1 && byValue.size <= mostKinds && tellsApart(byValue, undefined)
      ? { property: undefined, key: "PartitionKey" as const, rows: byValue }
      : kindsByPrefix(rows, "PartitionKey");
  return found === undefined || [...found.rows.values()].some(isMostlyOptional) ? undefined : found;
}

/** Whether more than half of the properties are missing in some row. */
function isMostlyOptional(rows: readonly StoredEntity[]): boolean {
  const counts = new Map<string, number>();
  for (const row of rows)
    for (const name of Object.keys(row))
      if (!isSystemName(name)) counts.set(name, (counts.get(name) ?? 0) + 1);
  const optional = [...counts.values()].filter((count) => count < rows.length).length;
  return 2 * optional > counts.size;
}

/** Groups rows by a text that each of them has. Undefined if a row has none, or one that cannot be a name. */
function grouped(
  rows: readonly StoredEntity[],
  textOf: (row: StoredEntity) => unknown,
): Map<string, StoredEntity[]> | undefined {
  const groups = new Map<string, StoredEntity[]>();
  for (const row of rows) {
    const name = textOf(row);
    if (typeof name !== "string" || !nameOfKind.test(name)) return undefined;
    const group = groups.get(name);
    if (group !== undefined) group.push(row);
    else if (groups.size > mostKinds) return undefined;
    else groups.set(name, [row]);
  }
  return groups;
}

/** Whether every two groups differ in the properties that all of their rows have. */
function tellsApart(
  groups: ReadonlyMap<string, readonly StoredEntity[]>,
  property: string | undefined,
): boolean {
  const shapes = [...groups.values()].map((rows) => commonNames(rows, property));
  return new Set(shapes).size === shapes.length;
}

function commonNames(rows: readonly StoredEntity[], without: string | undefined): string {
  const [first = { PartitionKey: "", RowKey: "" }] = rows;
  return Object.keys(first)
    .filter((name) => !isSystemName(name) && name !== without)
    .filter((name) => rows.every((row) => row[name] !== undefined))
    .toSorted()
    .join();
}
