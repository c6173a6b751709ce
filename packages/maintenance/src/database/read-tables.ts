import type { DatabaseSync } from "node:sqlite";
import {
  checksumOfTable,
  isOfContent,
  type Row,
  rowsOf,
  storedColumns,
  tableNames,
} from "@partita/core/internal/embedded";
import { isSound } from "./sound-row.ts";
import type { Findings } from "./findings.ts";

/** A table of a file, and the record of its rows. */
export interface CheckedTable {
  readonly id: number;
  readonly name: string;
  /** The initial value of the checksums of its rows. */
  readonly checksum: number;
  /** The number of rows that commits recorded, and the sum of their checksums; undefined if unknown. */
  readonly rows: number | undefined;
  readonly sum: number | undefined;
  /** The last version that was assigned to one of its rows. */
  readonly version: number | undefined;
}

/** A table of a damaged file. */
export interface NamedTable {
  readonly id: number;
  /** Undefined if it is not recorded anywhere. */
  readonly name: string | undefined;
  readonly checksum: number;
  /** The number of rows that commits recorded; undefined if unknown. */
  readonly rows: number | undefined;
}

interface ListedTable {
  readonly id: number;
  readonly name: unknown;
  readonly crc: unknown;
  readonly rows: number | null;
  readonly sum: number | null;
  readonly ts: number | null;
}

/** Reads the tables of a file, each with its totals, and checks their names. */
export function readTables(database: DatabaseSync, findings: Findings): CheckedTable[] {
  return listTables(database).map(({ id, name: found, crc, rows, sum, ts }) => {
    const name = String(found);
    if (crc !== checksumOfTable(id, name))
      findings.add({ check: "tables", table: name, message: "The table had another name." });
    const checksum = checksumIn(database, id, [checksumOfTable(id, name), crc]);
    return { id, name, checksum, rows: rows ?? undefined, sum: sum ?? undefined, version: ts ?? undefined };
  });
}

/**
 * The tables of a damaged file: from the list of tables, from the index of their names, and from the declarations of
 * their rows.
 */
export function namedTables(database: DatabaseSync): NamedTable[] {
  const listed = readable(() => listTables(database));
  const indexed = readable(() =>
    all<{ id: number; name: unknown }>(
      database,
      `SELECT id, name FROM ${tableNames} INDEXED BY sqlite_autoindex_${tableNames}_1 ORDER BY name`,
    ),
  );
  const declared = readable(() =>
    all<{ id: number }>(
      database,
      "SELECT CAST(substr(name, 5) AS INTEGER) AS id FROM sqlite_schema WHERE type = 'table' AND name GLOB 'rows[0-9]*' ORDER BY id",
    ),
  );
  const named = (id: number): NamedTable => {
    const names = [...listed, ...indexed]
      .filter((table) => table.id === id)
      .map(({ name }) => name)
      .filter((name) => typeof name === "string");
    const { crc, rows } = listed.find((table) => table.id === id) ?? {};
    const checksum = checksumIn(database, id, [...names.map((name) => checksumOfTable(id, name)), crc]);
    const name = names.find((each) => checksumOfTable(id, each) === checksum);
    return { id, name, checksum, rows: rows ?? undefined };
  };
  const isDeclared = ({ id }: { readonly id: number }): boolean => declared.some((table) => table.id === id);
  const tables = declared.map(({ id }) => named(id));
  // If the number in the list is damaged, the table is among the declared ones.
  const others = listed.filter((table) => !isDeclared(table)).map(({ id }) => named(id));
  return [...tables, ...others.filter(({ name }) => !tables.some((table) => table.name === name))];
}

const listTables = (database: DatabaseSync): readonly ListedTable[] =>
  all(
    database,
    `SELECT t.id, t.name, t.crc, s.rows, s.sum, s.ts FROM ${tableNames} t NOT INDEXED LEFT JOIN state s ON s.id = t.id ORDER BY t.id`,
  );

/** The checksum that the first rows were written with, among several possible ones; the first if none matches. */
function checksumIn(database: DatabaseSync, id: number, checksums: readonly unknown[]): number {
  const possible = [...new Set(checksums.filter((checksum) => typeof checksum === "number"))];
  const [first = 0] = possible;
  if (possible.length < 2) return first;
  const rows = readable(() => {
    const statement = database.prepare(`SELECT ${storedColumns} FROM ${rowsOf(id)} NOT INDEXED LIMIT 10`);
    statement.setReturnArrays(true);
    return statement.all() as unknown as Row[];
  });
  return possible.find((checksum) => rows.some((row) => isSound(row, checksum))) ?? first;
}

const all = <Found>(database: DatabaseSync, sql: string): readonly Found[] =>
  database.prepare(sql).all() as unknown as Found[];

/** The rows found; none if a damaged page or declaration prevents SQLite from reading. */
function readable<Found>(read: () => readonly Found[]): readonly Found[] {
  try {
    return read();
  } catch (error) {
    if (isOfContent(error)) return [];
    throw error;
  }
}
