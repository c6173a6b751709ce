import {
  accepted,
  type Check,
  checkArgument,
  type CheckOptions,
  defineOptions,
  oneOf,
  required,
  trueOrFalse,
} from "@partita/core/internal";
import { OptionError } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import { isColumnName } from "./csv-rows.ts";
import { ColumnNames, type RowForm, RowText } from "./row-text.ts";

/** Options for writing rows as text. */
export interface RowsAsTextOptions extends RowForm {
  /** Stored names of the properties to write with the keys. Default: all that the rows have. */
  readonly columns?: readonly string[] | undefined;
}

/** The names of properties, as an option. */
export const aColumnList: Check<readonly string[]> = accepted(
  "a list of stored names, without the keys and Timestamp, each once",
  (value) =>
    Array.isArray(value) &&
    value.every((name) => typeof name === "string" && isColumnName(name)) &&
    new Set(value).size === value.length,
);

const checkOptions: CheckOptions = defineOptions<RowsAsTextOptions>(
  "rowsAsText(rows, options)",
  {
    format: required(oneOf("jsonl", "csv")),
    timestamps: trueOrFalse,
    columns: aColumnList,
    escapeFormulas: trueOrFalse,
  },
  "transfer.option",
);

const someRows: Check<Iterable<unknown>> = accepted(
  "stored rows in a list or another iterable",
  (value) => typeof value === "object" && value !== null && Symbol.iterator in value,
);

/**
 * Writes stored rows as text: the form that `exportTable` and the command line write, and `readRows`,
 * `importTable` and the command line read. Keys, values and EDM types are exact in both formats. ETags are
 * left out.
 *
 * ```ts
 * import { rowsAsText } from "@partita/transfer";
 *
 * const row = { PartitionKey: "US", RowKey: "Seattle", "Founded@odata.type": "Edm.Int64", Founded: "1851" };
 *
 * console.log(rowsAsText([row], { format: "jsonl" }));
 * // {"PartitionKey":"US","RowKey":"Seattle","Founded@odata.type":"Edm.Int64","Founded":"1851"}
 * console.log(rowsAsText([row], { format: "csv", timestamps: false }));
 * // PartitionKey,RowKey,Founded,Founded@type
 * // US,Seattle,1851,Edm.Int64
 * ```
 *
 * @throws OptionError `transfer.option`; TransferError `transfer.column` for a property that cannot be a CSV
 * column
 */
export function rowsAsText(rows: Iterable<StoredEntity>, options: RowsAsTextOptions): string {
  checkArgument("rowsAsText(rows)", rows, someRows, "transfer.option");
  checkOptions(options ?? {});
  checkFormulas("rowsAsText(rows, options)", options);
  const list = [...rows];
  const text = new RowText(
    options,
    options.format === "csv" ? (options.columns ?? columnsOf(list)) : options.columns,
  );
  return text.head + list.map(text.line).join("");
}

/** @throws OptionError `transfer.option` */
export function checkFormulas(call: string, { format, escapeFormulas }: RowForm): void {
  if (escapeFormulas === true && format !== "csv")
    throw new OptionError(
      "transfer.option",
      `${call} takes { escapeFormulas } with { format: "csv" } only: JSON has no formulas.`,
    );
}

function columnsOf(rows: readonly StoredEntity[]): readonly string[] {
  const found = new ColumnNames();
  for (const row of rows) found.add(row);
  return found.names;
}
