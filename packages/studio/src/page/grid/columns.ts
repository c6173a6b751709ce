import type { Row } from "../../api/cells.ts";
import type { ClassInfo } from "../../api/tables.ts";

/** A column of the grid. */
export interface GridColumn {
  readonly name: string;
  readonly type: string;
  readonly width: number;
  readonly isKey: boolean;
  /** Its text in a row. Undefined if the row has no value. */
  readonly valueOf: (row: Row) => string | undefined;
}

/** Maximum number of columns, because rows of one table may have thousands of names. */
const maxColumns = 80;

/** The rows and classes that determine the columns. */
interface Columned {
  /** The class of the query. Undefined for stored rows. */
  readonly asked: string | undefined;
  readonly rows: readonly Row[];
  /** Expanded child rows. The columns of their classes follow after the others. */
  readonly children: readonly Row[];
}

/**
 * The columns of rows: those of their classes. For stored rows, the keys and the properties in these rows.
 */
export function columnsOf(
  classes: readonly ClassInfo[],
  { asked, rows, children }: Columned,
): readonly GridColumn[] {
  const seen = rows.length === 0 ? [asked] : [...rows, ...children].map(({ className }) => className);
  const infos = [...new Set(seen)].map((className) => classes.find(({ name }) => name === className));
  if (!infos.includes(undefined)) return columnsOfClasses(infos as ClassInfo[]);
  const types = new Map<string, string>();
  for (const { cells } of rows)
    for (const [name, type] of cells) if (types.size < maxColumns && !types.has(name)) types.set(name, type);
  const kinds = rows.some(({ className }) => className !== undefined) ? [kindColumn] : [];
  const times = rows.some(({ timestamp }) => timestamp !== undefined) ? [timeColumn] : [];
  return [...keyColumns, ...kinds, ...[...types].map(([name, type]) => column(name, type, false)), ...times];
}

/** Key parts first. A name of several classes is one column. */
function columnsOfClasses(infos: readonly ClassInfo[]): readonly GridColumn[] {
  const fields = new Map(infos.flatMap((info) => info.fields).map((field) => [field.name, field]));
  const ordered = [...fields.values()].toSorted(
    (a, b) => Number(b.key !== undefined) - Number(a.key !== undefined),
  );
  const columns = ordered.map(({ name, type, key }) => column(name, type, key !== undefined));
  return infos.length > 1 ? [...columns, kindColumn] : columns;
}

const keyColumns: readonly GridColumn[] = [
  { name: "PartitionKey", type: "key", width: 190, isKey: true, valueOf: (row) => row.partitionKey },
  { name: "RowKey", type: "key", width: 210, isKey: true, valueOf: (row) => row.rowKey },
];

const kindColumn: GridColumn = {
  name: "Class",
  type: "class",
  width: 110,
  isKey: false,
  valueOf: (row) => row.className,
};

const timeColumn: GridColumn = {
  name: "Timestamp",
  type: "DateTime",
  width: 235,
  isKey: false,
  valueOf: (row) => row.timestamp,
};

const column = (name: string, type: string, isKey: boolean): GridColumn => ({
  name,
  type,
  width: widths[type] ?? 180,
  isKey,
  valueOf({ cells }) {
    const value = cells.find(([own]) => own === name)?.[2];
    if (value === undefined) return undefined;
    return typeof value === "object" ? JSON.stringify(value) : String(value);
  },
});

const widths: Readonly<Record<string, number>> = {
  Boolean: 100,
  Int32: 120,
  Int64: 150,
  Double: 120,
  DateTime: 205,
  Guid: 270,
};
