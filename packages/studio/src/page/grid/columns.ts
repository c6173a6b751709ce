import type { Cell, CellType, Row } from "../../api/cells.ts";
import type { ClassInfo, Field } from "../../api/tables.ts";
import type { SeenColumns } from "../state/seen-columns.ts";

/** A column of the grid. */
export interface GridColumn {
  /** Unique. Differs from the name for columns that are not properties, because a property may have any name. */
  readonly id: string;
  readonly name: string;
  /** The types of its values. A property of stored rows may have several. */
  readonly types: readonly string[];
  readonly isKey: boolean;
  readonly width: number;
  /** Its cell in a row. Undefined if the row has no value. */
  readonly cellOf: (row: Row) => Cell | undefined;
  /** The type of a new value in a row. Undefined if the row cannot have one. */
  readonly typeIn: (row: Row) => CellType | undefined;
}

/**
 * The columns of rows: those of their classes. For stored rows, the keys and the properties of all rows read.
 *
 * @param asked - the class of the query; undefined for stored rows
 */
export function columnsOf(
  classes: readonly ClassInfo[],
  asked: string | undefined,
  seen: SeenColumns,
): readonly GridColumn[] {
  const names = seen.classNames.size === 0 ? [asked] : [...seen.classNames];
  const infos = names.flatMap((name) => classes.find((each) => each.name === name) ?? []);
  const isStored = names.includes(undefined);
  const fields = fieldsByName(infos);
  const declared = [...fields.entries()].map(([name, found]) => fieldColumn(name, found, infos, seen));
  const stored = [...seen.types].filter(([name]) => !fields.has(name));
  return [
    ...(isStored ? [keyColumn("PartitionKey", seen), keyColumn("RowKey", seen)] : []),
    ...declared.filter(({ isKey }) => isKey),
    ...declared.filter(({ isKey }) => !isKey),
    ...(isStored ? stored.map(([name, types]) => storedColumn(name, [...types], seen)) : []),
    ...(names.length > 1 ? [kindColumn] : []),
    ...(isStored && seen.hasTimestamps ? [timeColumn] : []),
  ];
}

function fieldsByName(infos: readonly ClassInfo[]): ReadonlyMap<string, readonly Field[]> {
  const fields = new Map<string, Field[]>();
  for (const field of infos.flatMap((info) => info.fields))
    fields.set(field.name, [...(fields.get(field.name) ?? []), field]);
  return fields;
}

/** A name of several classes is one column. */
function fieldColumn(
  name: string,
  fields: readonly Field[],
  infos: readonly ClassInfo[],
  seen: SeenColumns,
): GridColumn {
  const types = [...new Set(fields.map(({ type }) => type))];
  const isKey = fields.some(({ key }) => key !== undefined);
  const fieldIn = ({ className }: Row): Field | undefined =>
    infos.find((each) => each.name === className)?.fields.find((each) => each.name === name);
  return {
    ...property(name, types, seen),
    isKey,
    typeIn: (row) =>
      row.className === undefined ? storedTypeIn(row, name, types) : isKey ? undefined : fieldIn(row)?.type,
  };
}

const storedColumn = (name: string, types: readonly string[], seen: SeenColumns): GridColumn => ({
  ...property(name, types, seen),
  isKey: false,
  typeIn: (row) => (row.className === undefined ? storedTypeIn(row, name, types) : undefined),
});

const property = (
  name: string,
  types: readonly string[],
  seen: SeenColumns,
): Omit<GridColumn, "isKey" | "typeIn"> => ({
  id: name,
  name,
  types,
  width: widthOf(name, types, seen.lengthOf(name)),
  cellOf: (row) => cellIn(row, name),
});

const cellIn = ({ cells }: Row, name: string): Cell | undefined => cells.find(([own]) => own === name);

/** The type that a stored row has, or else the one that other rows have. */
const storedTypeIn = (row: Row, name: string, types: readonly string[]): CellType =>
  cellIn(row, name)?.[1] ?? (types[0] as CellType);

const keyColumn = (name: "PartitionKey" | "RowKey", seen: SeenColumns): GridColumn => ({
  id: `@${name}`,
  name,
  types: ["String"],
  isKey: true,
  width: widthOf(name, [], seen.lengthOf(name)),
  cellOf: ({ partitionKey, rowKey }) => [name, "String", name === "RowKey" ? rowKey : partitionKey],
  typeIn: () => undefined,
});

const kindColumn: GridColumn = {
  id: "@Class",
  name: "Class",
  types: ["class"],
  isKey: false,
  width: 120,
  cellOf: ({ className }) => (className === undefined ? undefined : ["Class", "String", className]),
  typeIn: () => undefined,
};

const timeColumn: GridColumn = {
  id: "@Timestamp",
  name: "Timestamp",
  types: ["DateTime"],
  isKey: false,
  width: 240,
  cellOf: ({ timestamp }) => (timestamp === undefined ? undefined : ["Timestamp", "DateTime", timestamp]),
  typeIn: () => undefined,
};

/** Pixels of a character, in names and in values. */
const [nameCharacter, valueCharacter] = [8.8, 7.3];
/** Pixels on both sides. The header also has a sort mark. */
const [namePadding, valuePadding] = [36, 24];
const [minWidth, maxWidth] = [84, 320];

/** Fits the name and the values of the first rows. */
function widthOf(name: string, types: readonly string[], length: number): number {
  const least = types.includes("DateTime") ? 200 : minWidth;
  const wanted = Math.max(name.length * nameCharacter + namePadding, length * valueCharacter + valuePadding);
  return Math.round(Math.min(maxWidth, Math.max(least, wanted)));
}
