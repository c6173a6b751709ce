import type { StoredEntity } from "@partita/core";
import { guessKey, type KeyGuess } from "./guess-key.ts";
import { guessKinds, type KindsGuess } from "./guess-kinds.ts";
import { guessProperties, type PropertyGuess, type UndeclaredProperty } from "./guess-properties.ts";
import { className, freeName, propertyName } from "./names.ts";
import { type PartFormat, textPart } from "./part-formats.ts";

/** A part of a key, as a property of the class. */
export interface NamedPart extends PartFormat {
  readonly property: string;
}

export interface NamedKey extends Pick<KeyGuess, "separator"> {
  readonly parts: readonly NamedPart[];
}

export interface NamedProperty extends PropertyGuess {
  readonly property: string;
}

/** How rows say that they are of a class. */
interface KindGuess {
  readonly name: string;
  /** The property that holds it; undefined where only the RowKey says it. */
  readonly storedIn: string | undefined;
  /** Whether the RowKey begins with it. */
  readonly isPrefix: boolean;
}

/** A class for rows of a table. */
export interface ClassGuess {
  readonly name: string;
  readonly table: string;
  readonly kind: KindGuess | undefined;
  readonly partitionKey: NamedKey;
  readonly rowKey: NamedKey;
  readonly properties: readonly NamedProperty[];
  readonly undeclared: readonly UndeclaredProperty[];
  /** The rows that it was made of. */
  readonly rows: readonly StoredEntity[];
}

/** The classes for a table's rows, at least one of which is there. */
export function guessClasses(table: string, rows: readonly StoredEntity[]): ClassGuess[] {
  const kinds = guessKinds(rows);
  if (kinds === undefined) return [classOf(table, className(table), undefined, rows, rows)];
  return [...kinds.rows].map(([kind, own]) =>
    classOf(table, className(kind), kindOf(kind, kinds, own), own, rows),
  );
}

/** Where each RowKey of a kind begins with its name, the key is declared so. */
function kindOf(name: string, kinds: KindsGuess, rows: readonly StoredEntity[]): KindGuess {
  const { property: storedIn } = kinds;
  return { name, storedIn, isPrefix: storedIn === undefined || prefixSeparator(name, rows) !== undefined };
}

/** What stands between the kind's name and the rest of each RowKey: "" where no key has a rest; undefined where none begins so. */
function prefixSeparator(name: string, rows: readonly StoredEntity[]): string | undefined {
  if (!rows.every(({ RowKey }) => RowKey.startsWith(name))) return undefined;
  const rests = rows.map(({ RowKey }) => RowKey.slice(name.length));
  if (rests.every((rest) => rest === "")) return "";
  return ["__", "_", "!", "|", ":", "~", "-"].find((separator) =>
    rests.every((rest) => rest.startsWith(separator) && rest.length > separator.length),
  );
}

function classOf(
  table: string,
  name: string,
  kind: KindGuess | undefined,
  rows: readonly StoredEntity[],
  allOfTable: readonly StoredEntity[],
): ClassGuess {
  const without = new Set(kind?.storedIn === undefined ? [] : [kind.storedIn]);
  const { declared, undeclared } = guessProperties(rows, without);
  const taken = new Set<string>();
  const properties = declared.map((one) => ({
    ...one,
    property: freeName(propertyName(one.storedName), taken),
  }));
  const partitionKey = guessKey(
    allOfTable.map(({ PartitionKey }) => PartitionKey),
    false,
  );
  return {
    name,
    table,
    kind,
    partitionKey: named(partitionKey, "partitionKey", taken),
    rowKey: named(rowKeyOf(kind, rows), "rowKey", taken),
    properties,
    undeclared,
    rows,
  };
}

/** The RowKey behind the kind's name, which its declaration says. */
function rowKeyOf(kind: KindGuess | undefined, rows: readonly StoredEntity[]): KeyGuess {
  const separator = kind?.isPrefix === true ? prefixSeparator(kind.name, rows) : undefined;
  if (kind === undefined || separator === undefined)
    return guessKey(
      rows.map(({ RowKey }) => RowKey),
      true,
    );
  if (separator === "") return { parts: [], separator: undefined };
  const start = kind.name.length + separator.length;
  const rest = guessKey(
    rows.map(({ RowKey }) => RowKey.slice(start)),
    true,
  );
  // One separator stands between all parts: what is split by another one is one text.
  const isSplit = rest.separator !== undefined && rest.separator !== separator;
  return { parts: isSplit ? [textPart()] : rest.parts, separator };
}

/** Parts are called by what they hold, or by the key. */
function named({ parts, separator }: KeyGuess, key: string, taken: Set<string>): NamedKey {
  return {
    separator,
    parts: parts.map((part) => ({
      ...part,
      property: freeName(part.name === "name" ? key : part.name, taken),
    })),
  };
}
