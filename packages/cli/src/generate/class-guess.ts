import type { StoredEntity } from "@partita/core/storage";
import { guessKey, type KeyGuess } from "./guess-key.ts";
import { guessKinds, type KindsGuess, kindSeparators } from "./guess-kinds.ts";
import { guessProperties, type PropertyGuess, type UndeclaredProperty } from "./guess-properties.ts";
import { className, freeName, propertyName } from "./names.ts";
import { constantPart, type PartFormat, textPart } from "./part-formats.ts";

/** A key part, as a property of the class. */
export interface NamedPart extends PartFormat {
  readonly property: string;
}

export interface NamedKey extends Pick<KeyGuess, "separator"> {
  readonly parts: readonly NamedPart[];
}

export interface NamedProperty extends PropertyGuess {
  readonly property: string;
}

/** The discriminator of a class. */
interface KindGuess {
  readonly name: string;
  /** The property that holds the kind. Undefined if only a key contains it. */
  readonly storedIn: string | undefined;
  /** Whether the RowKey starts with the kind. */
  readonly isPrefix: boolean;
  /** The prefix of the PartitionKey, if it contains the kind. It may be the complete key. */
  readonly partition: KeyBeginning | undefined;
}

/** A kind's name in a key, and its separator from the rest. The separator is "" if no key has a rest. */
export interface KeyBeginning {
  readonly name: string;
  readonly separator: string;
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
  /** The rows that the class was generated from. */
  readonly rows: readonly StoredEntity[];
}

/** The classes for a table's rows. Needs at least one row. */
export function guessClasses(table: string, rows: readonly StoredEntity[]): ClassGuess[] {
  const kinds = guessKinds(rows);
  if (kinds === undefined) return [classOf(table, className(table), undefined, rows, rows)];
  return [...kinds.rows].map(([kind, own]) =>
    classOf(table, className(kind), kindOf(kind, kinds, own), own, rows),
  );
}

/** If each RowKey of a kind starts with its name, the key is declared with that prefix. */
function kindOf(name: string, kinds: KindsGuess, rows: readonly StoredEntity[]): KindGuess {
  const { property: storedIn, key } = kinds;
  const partition = key === "PartitionKey" ? beginningOf(name, rows.map(partitionKeyOf)) : undefined;
  const isPrefix =
    key === "RowKey" || (key === undefined && beginningOf(name, rows.map(rowKeyOf)) !== undefined);
  return { name, storedIn, isPrefix, partition };
}

const partitionKeyOf = ({ PartitionKey }: StoredEntity): string => PartitionKey;
const rowKeyOf = ({ RowKey }: StoredEntity): string => RowKey;

/** The kind's name as the prefix of all keys. Undefined if one key lacks it. */
function beginningOf(name: string, keys: readonly string[]): KeyBeginning | undefined {
  if (!keys.every((key) => key.startsWith(name))) return undefined;
  const rests = keys.map((key) => key.slice(name.length));
  if (rests.every((rest) => rest === "")) return { name, separator: "" };
  const separator = kindSeparators.find((each) =>
    rests.every((rest) => rest.startsWith(each) && rest.length > each.length),
  );
  return separator === undefined ? undefined : { name, separator };
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
  const partitionKey = partitionKeyFor(kind, rows, allOfTable);
  return {
    name,
    table,
    kind,
    partitionKey: named(partitionKey, "partitionKey", taken),
    rowKey: named(rowKeyFor(kind, rows), "rowKey", taken),
    properties,
    undeclared,
    rows,
  };
}

/** The PartitionKey for all rows of the table. If it contains the kind, each class has its own. */
function partitionKeyFor(
  kind: KindGuess | undefined,
  rows: readonly StoredEntity[],
  allOfTable: readonly StoredEntity[],
): KeyGuess {
  if (kind?.partition === undefined) return guessKey(allOfTable.map(partitionKeyOf), false);
  const { parts, separator } = restOf(kind.partition, rows.map(partitionKeyOf), false);
  return { parts: [constantPart(kind.name), ...parts], separator };
}

/** The RowKey after the kind's name, which the kind's declaration covers. */
function rowKeyFor(kind: KindGuess | undefined, rows: readonly StoredEntity[]): KeyGuess {
  const keys = rows.map(rowKeyOf);
  const beginning = kind?.isPrefix === true ? beginningOf(kind.name, keys) : undefined;
  return beginning === undefined ? guessKey(keys, true) : restOf(beginning, keys, true);
}

/** The parts of keys after their prefix. */
function restOf({ name, separator }: KeyBeginning, keys: readonly string[], isRowKey: boolean): KeyGuess {
  if (separator === "") return { parts: [], separator: undefined };
  const start = name.length + separator.length;
  const rest = guessKey(
    keys.map((key) => key.slice(start)),
    isRowKey,
  );
  // All parts of a key have the same separator. Text with another separator stays one part.
  const isSplit = rest.separator !== undefined && rest.separator !== separator;
  return { parts: isSplit ? [textPart()] : rest.parts, separator };
}

/** Parts are named by their contents, or after the key. */
function named({ parts, separator }: KeyGuess, key: string, taken: Set<string>): NamedKey {
  return {
    separator,
    parts: parts.map((part) => ({
      ...part,
      property: freeName(part.name === "name" ? key : part.name, taken),
    })),
  };
}
