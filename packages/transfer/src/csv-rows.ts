import {
  findEdmType,
  isInRange,
  isPropertyName,
  shownName,
  type StoredEntityDraft,
  timestampOf,
} from "@partita/core/internal";
import { annotationOf, edmTypeOf, setTyped, typedValue } from "@partita/core/protocol";
import type { EdmType, StoredEntity } from "@partita/core/storage";
import { TransferError } from "./transfer-error.ts";
import { isWrittenAs, TypeGuess } from "./column-types.ts";
import {
  csvCell,
  type CsvRecord,
  escapeFormula,
  type LineEnd,
  lineEndOf,
  readRecord,
  unescapeFormula,
} from "./csv-text.ts";
import { problemOf } from "./json-lines.ts";
import { countOf, type Line, type LineReader } from "./text-lines.ts";

/*
 * Tables as CSV, in the format that Azure Storage Explorer exports and imports. The format is not published;
 * this follows files shown by its users. Source: issues of github.com/microsoft/AzureStorageExplorer.
 * - Each property column is followed by one with `@type` appended to its name. Keys and Timestamp have none.
 *   Columns may have any order: `HLA,HLA@type,PartitionKey,RowKey,Timestamp,isGeneric,isGeneric@type`.
 * - Types are `Edm.Int32`, and since 1.40 `Int32` (#8772). Both are read; the first is written.
 * - An empty cell without a type means that the row lacks the property. The files do not show how an empty
 *   text is written. Here it is an empty cell with its type, and the same for empty bytes. Other types have no
 *   empty value, so an empty cell is absent. The word null is not a value of Int32 there either (#1855).
 * - Since 1.40 it can write types in the first row only (#8772, #4968), so a value without a type has the
 *   first type of its column. If a column has no types, or no column of types (#857), the caller decides them, and
 *   its empty cells are absent.
 * - Up to 1.27 it wrote CR without quotation marks (#6625). CR is read as part of its cell, unless LF
 *   follows.
 */

const typeSuffix = "@type";
const systemColumns: ReadonlySet<string> = new Set(["PartitionKey", "RowKey", "Timestamp"]);

/**
 * Whether CSV can have a property of this name. A name that ends like a column of types would be ambiguous.
 */
export const isColumnName = (name: string): boolean =>
  name !== "" && !systemColumns.has(name) && !name.endsWith(typeSuffix) && name.isWellFormed();

/** The first line of CSV. */
export const csvHeader = (columns: readonly string[], hasTimestamp: boolean): string =>
  csvLine([
    "PartitionKey",
    "RowKey",
    ...(hasTimestamp ? ["Timestamp"] : []),
    ...columns.flatMap((name) => [name, `${name}${typeSuffix}`]),
  ]);

/** Options for writing rows as CSV. */
export interface CsvForm {
  readonly hasTimestamp: boolean;
  /** Whether text that spreadsheets run as a formula is escaped. Numbers are not. */
  readonly escapesFormulas: boolean;
}

/** A row as a line of CSV. Empty keys are quoted, so the line is not blank. */
export function csvRow(row: StoredEntity, columns: readonly string[], form: CsvForm): string {
  const { hasTimestamp, escapesFormulas } = form;
  const shown = (text: string): string => (escapesFormulas ? escapeFormula(text) : text);
  let line = `${csvKey(shown(row.PartitionKey))},${csvKey(shown(row.RowKey))}`;
  if (hasTimestamp) line += `,${timestampOf(row) ?? ""}`;
  for (const name of columns) {
    // Every object has members such as toString.
    const value = Object.hasOwn(row, name) ? row[name] : undefined;
    if (value === undefined || value === null) line += ",,";
    else {
      const edm = edmTypeOf(value, row[annotationOf(name)]);
      const text = String(typedValue(value, edm)?.value ?? value);
      line += `,${csvCell(findEdmType(edm)?.isNumber === true ? text : shown(text))},${edm}`;
    }
  }
  return `${line}\r\n`;
}

const csvKey = (key: string): string => (key === "" ? '""' : csvCell(key));
const csvLine = (cells: readonly string[]): string => `${cells.map(csvCell).join(",")}\r\n`;

/** The positions of a property in each record. */
interface Column {
  readonly name: string;
  readonly value: number;
  /** Undefined if no column has its types. */
  readonly type: number | undefined;
  /** The type of values without one: the first type in this column, or the one that was decided. */
  first: EdmType | undefined;
  /** Whether that type was inferred from values. Values that would lose something by it are refused. */
  isInferred: boolean;
}

/** How `CsvReader` reads cells. */
export interface CsvReading {
  /** Whether formulas in the text were escaped. */
  readonly escapesFormulas: boolean;
  /** The types of columns without types; undefined if they are refused. */
  readonly types: "infer" | "text" | ReadonlyMap<string, EdmType> | undefined;
  /** Called with the type of each column that is inferred. */
  readonly onInferred: (column: string, type: EdmType) => void;
}

/** Characters of text that types are inferred from. Most files are shorter. */
const sampleLength: number = 8 * 1024 * 1024;

/** Reads rows from CSV. */
export class CsvReader implements LineReader {
  line = 1;
  readonly #reading: CsvReading;
  readonly #read: (text: string) => string;
  #lineEnd: LineEnd = "\n";
  #columns: Column[] | undefined;
  /** Columns without a type so far. */
  #untyped: readonly Column[] = [];
  #count = 0;
  #keys: readonly [partitionKey: number, rowKey: number] = [0, 1];

  constructor(reading: CsvReading) {
    this.#reading = reading;
    this.#read = reading.escapesFormulas ? unescapeFormula : (text) => text;
  }

  next(text: string, from: number, isEnd: boolean): Line | undefined {
    if (this.#columns === undefined) {
      const lineEnd = lineEndOf(text, from, isEnd);
      if (lineEnd === undefined) return undefined;
      this.#lineEnd = lineEnd;
    }
    const record = readRecord(text, from, isEnd, this.line, this.#lineEnd);
    if (record === undefined) return undefined;
    const { cells, isQuoted, end } = record;
    const length = end - from;
    const line = this.line;
    if (this.#needsTypes(cells)) {
      if (!isEnd && text.length - from < sampleLength) return undefined;
      this.#decideTypes(this.#guessTypes(text, from, isEnd), line);
    }
    this.line += isQuoted ? countOf(this.#lineEnd, text.slice(from, end)) : 1;
    if (cells.length === 1 && cells[0] === "" && !isQuoted) return { length };
    if (this.#columns === undefined) {
      this.#columns = this.#readHeader(cells, line);
      return { length };
    }
    try {
      return { row: this.#rowOf(cells, isQuoted, line, this.#columns), length };
    } catch (error) {
      if (TransferError.is(error)) return { bad: error, length };
      throw error;
    }
  }

  #readHeader(names: readonly string[], line: number): Column[] {
    const bad = (problem: string): TransferError => TransferError.badHeader(line, problem);
    const places = new Map(names.map((name, i) => [name, i]));
    const [partitionKey, rowKey] = [places.get("PartitionKey"), places.get("RowKey")];
    if (partitionKey === undefined || rowKey === undefined)
      throw bad("it needs the columns PartitionKey and RowKey, with commas between columns");
    if (places.size < names.length) throw bad("two columns have the same name");
    this.#keys = [partitionKey, rowKey];
    this.#count = names.length;
    const columns: Column[] = [];
    for (const [name, value] of places) {
      if (name === "") throw bad("a column has no name");
      if (name.endsWith(typeSuffix)) {
        if (!places.has(name.slice(0, -typeSuffix.length)))
          throw bad("a column of types has no column of values");
      } else if (!systemColumns.has(name)) {
        if (!isPropertyName(name)) throw bad(`${shownName(name)} is not a property name`);
        columns.push({
          name,
          value,
          type: places.get(`${name}${typeSuffix}`),
          first: this.#declaredType(name),
          isInferred: false,
        });
      }
    }
    this.#untyped = columns.filter(({ first }) => first === undefined);
    return columns;
  }

  #declaredType(name: string): EdmType | undefined {
    const { types } = this.#reading;
    if (types === "text") return "Edm.String";
    return typeof types === "object" ? types.get(name) : undefined;
  }

  /** Whether a record has a value without a type, in a column without one. */
  #needsTypes(cells: readonly string[]): boolean {
    if (this.#untyped.length === 0 || cells.length !== this.#count) return false;
    this.#untyped = this.#untyped.filter(({ first }) => first === undefined);
    return this.#untyped.some((column) => isUntyped(column, cells));
  }

  /** Guesses the types of columns from values without one, in the records from a position on. */
  #guessTypes(text: string, from: number, isEnd: boolean): ReadonlyMap<Column, TypeGuess> {
    const guesses = new Map<Column, TypeGuess>();
    const typed = new Set<Column>();
    for (const { cells } of this.#recordsFrom(text, from, isEnd)) {
      if (cells.length !== this.#count) continue;
      for (const column of this.#untyped) {
        if (!isUntyped(column, cells)) {
          if (column.type !== undefined && cells[column.type] !== "") typed.add(column);
        } else if (!typed.has(column)) {
          const guess = guesses.get(column) ?? new TypeGuess();
          guess.add(this.#read(cells[column.value] as string));
          guesses.set(column, guess);
        }
      }
    }
    return guesses;
  }

  *#recordsFrom(text: string, from: number, isEnd: boolean): Generator<CsvRecord> {
    let at = from;
    try {
      while (at < text.length && at - from < sampleLength) {
        const record = readRecord(text, at, isEnd, this.line, this.#lineEnd);
        if (record === undefined) return;
        yield record;
        at = record.end;
      }
    } catch (error) {
      // It is thrown again when its line is read.
      if (!TransferError.is(error)) throw error;
    }
  }

  /** @throws TransferError `transfer.types` */
  #decideTypes(guesses: ReadonlyMap<Column, TypeGuess>, line: number): void {
    const { types, onInferred } = this.#reading;
    if (types !== "infer")
      throw TransferError.untyped(
        line,
        Array.from(guesses, ([{ name }, { type }]) => [name, type] as const),
        types !== undefined,
      );
    for (const [column, { type }] of guesses) {
      column.first = type;
      column.isInferred = true;
      onInferred(column.name, type);
    }
  }

  #rowOf(
    cells: readonly string[],
    isQuoted: boolean,
    line: number,
    columns: readonly Column[],
  ): StoredEntity {
    if (cells.length !== this.#count)
      throw TransferError.badLine({ line, problem: `it has ${cells.length} cells, not ${this.#count}` });
    if (!isQuoted && cells.every((cell) => cell === ""))
      throw TransferError.badLine({ line, problem: "all of its cells are empty" });
    const [partitionKey, rowKey] = this.#keys.map((place) => this.#read(cells[place] as string)) as [
      string,
      string,
    ];
    const row: StoredEntityDraft = { PartitionKey: partitionKey, RowKey: rowKey };
    if (!partitionKey.isWellFormed() || !rowKey.isWellFormed())
      throw TransferError.badLine({ line, problem: "a key is not Unicode text" });
    for (const column of columns) {
      const text = this.#read(cells[column.value] as string);
      takeCell(row, column, {
        text,
        type: column.type === undefined ? "" : (cells[column.type] as string),
        line,
      });
    }
    return row;
  }
}

/** A cell, and the type next to it. "" if there is none. */
interface TypedCell {
  readonly text: string;
  readonly type: string;
  readonly line: number;
}

/** Whether a record has a value without a type in this column. */
const isUntyped = ({ value, type }: Column, cells: readonly string[]): boolean =>
  cells[value] !== "" && (type === undefined || cells[type] === "");

/** Adds the value of a property to a row. @throws TransferError `transfer.line` */
function takeCell(row: StoredEntityDraft, column: Column, { text, type: given, line }: TypedCell): void {
  const { name } = column;
  const bad = (problem: string): TransferError => TransferError.badLine({ line, property: name, problem });
  if (given === "" && text === "") return;
  const type =
    given === "" ? (column.first ?? "Edm.String") : given.startsWith("Edm.") ? given : `Edm.${given}`;
  if (given !== "") column.first ??= type as EdmType;
  const typed = typedValue(text, type);
  if (typed === undefined && text === "") return;
  if (given === "" && column.isInferred && !isWrittenAs(text, type as EdmType))
    throw bad(`is not a plain ${type}, which was inferred from values before it. Choose other { types }`);
  if (typed === undefined || !isInRange(typed)) throw bad(problemOf(type));
  setTyped(row, name, typed);
}
