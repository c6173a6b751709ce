import {
  accepted,
  aFunction,
  type Check,
  checkArgument,
  type CheckOptions,
  defineOptions,
  oneOf,
  trueOrFalse,
} from "@partita/core/internal";
import type { EdmType, StoredEntity } from "@partita/core/storage";
import { type ColumnTypes, typesOfClasses } from "./column-types.ts";
import { CsvReader } from "./csv-rows.ts";
import { isJsonArray, JsonArrayReader } from "./json-array.ts";
import { JsonLineReader } from "./json-lines.ts";
import type { FileFormat } from "./row-text.ts";
import { type Line, linesOf, textOf } from "./text-lines.ts";
import type { TransferError } from "./transfer-error.ts";

/** The form of the rows in a text. */
export interface ReadForm {
  /** The format. By default decided by the first character. */
  readonly format?: FileFormat | undefined;
  /** Whether CSV was written with this option. The apostrophe before escaped formulas is removed. */
  readonly escapeFormulas?: boolean | undefined;
  /**
   * The types of CSV columns without types: `"infer"`, `"text"`, or classes that declare them. By default such
   * CSV is refused, with the types that would be inferred.
   */
  readonly types?: ColumnTypes | undefined;
}

export const columnTypesCheck: Check<ColumnTypes> = accepted(
  '"infer", "text" or a list of classes',
  (value) =>
    value === "infer" ||
    value === "text" ||
    (Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === "function")),
);

/** Options for reading rows from text. */
export interface ReadRowsOptions extends ReadForm {
  /**
   * Called with each line that is not a row, which is then skipped. By default, the first such line stops the
   * reading.
   */
  readonly onBadLine?: ((line: TransferError) => void) | undefined;
}

/** Text or bytes in chunks, as an argument. */
export const someChunks: Check<AsyncIterable<string | Uint8Array>> = accepted(
  "text or UTF-8 bytes in chunks, such as createReadStream(path)",
  (value) => typeof (value as Partial<AsyncIterable<unknown>> | null)?.[Symbol.asyncIterator] === "function",
);

const someText: Check<string | AsyncIterable<string | Uint8Array>> = accepted(
  "a text, or text or UTF-8 bytes in chunks, such as createReadStream(path)",
  (value) => typeof value === "string" || someChunks.accepts(value),
);

const checkOptions: CheckOptions = defineOptions<ReadRowsOptions>(
  "readRows(source, options)",
  {
    format: oneOf("jsonl", "csv"),
    escapeFormulas: trueOrFalse,
    types: columnTypesCheck,
    onBadLine: aFunction,
  },
  "transfer.option",
);

/**
 * Reads stored rows from text: the output of `rowsAsText` and `exportTable`, CSV of Azure Storage Explorer, a
 * JSON row per line, `[{…}]`, or `{"value":[…]}` as the service returns. Timestamps and ETags are left out.
 * Memory does not grow with the text.
 *
 * ```ts
 * import { readRows } from "@partita/transfer";
 *
 * for await (const row of readRows('[{"PartitionKey":"US","RowKey":"Seattle","Population":737015}]'))
 *   console.log(row["Population"]); // 737015
 * ```
 *
 * @throws OptionError `transfer.option`; TransferError `transfer.line`, `transfer.header`,
 * `transfer.text`, `transfer.types`; errors of the source
 */
export function readRows(
  source: string | AsyncIterable<string | Uint8Array>,
  options: ReadRowsOptions = {},
): AsyncIterable<StoredEntity> {
  checkArgument("readRows(source)", source, someText, "transfer.option");
  checkOptions(options);
  return rowsIn(typeof source === "string" ? inOneChunk(source) : source, options);
}

async function* rowsIn(
  source: AsyncIterable<string | Uint8Array>,
  options: ReadRowsOptions,
): AsyncGenerator<StoredEntity> {
  for await (const lines of linesIn(source, options))
    for (const { row, bad } of lines) {
      if (row !== undefined) yield row;
      if (bad === undefined) continue;
      if (options.onBadLine === undefined) throw bad;
      options.onBadLine(bad);
    }
}

async function* inOneChunk(text: string): AsyncGenerator<string> {
  yield await Promise.resolve(text);
}

/**
 * Reads lines of any form, with those that are not rows.
 *
 * @param onInferred - called with each column that gets an inferred type
 */
export function linesIn(
  source: AsyncIterable<string | Uint8Array>,
  { format, escapeFormulas = false, types }: ReadForm,
  onInferred: (column: string, type: EdmType) => void = () => {},
): AsyncIterable<readonly Line[]> {
  const known = types === undefined || typeof types === "string" ? types : typesOfClasses(types);
  return linesOf(textOf(source), (text) => {
    if ((format ?? formatOf(text)) === "csv")
      return new CsvReader({ escapesFormulas: escapeFormulas, types: known, onInferred });
    return isJsonArray(text) ? new JsonArrayReader() : new JsonLineReader();
  });
}

/** JSON starts with a brace or a bracket. The name of a column does not. */
const formatOf = (text: string): FileFormat => (/^\s*[{[]/.test(text) ? "jsonl" : "csv");
