import type { RowKey } from "./cells.ts";
import type { RowQuery } from "./queries.ts";

/** The form of a file: a row of JSON per line, or CSV with types. */
export type FileForm = "jsonl" | "csv";

/** The treatment of rows that the target already has. */
export type Existing = "refuse" | "replace" | "merge" | "skip";

/** The types of CSV columns without types: those of their values, or text. */
export type UntypedColumns = "infer" | "text";

/** The rows of an export, and their form. */
export interface ExportRequest extends RowQuery {
  readonly format: FileForm;
  /** All rows of the table, those of the query, or those with the keys. */
  readonly scope: "table" | "query" | "selection";
  readonly keys?: readonly RowKey[] | undefined;
}

/** The start of a file, as an import would read it. */
export interface ImportPreview {
  readonly format: FileForm;
  /** The properties of the first rows, with the types that were found. */
  readonly columns: readonly PreviewColumn[];
  /** The first rows: their keys, then a text for each column. null if the row lacks it. */
  readonly rows: readonly (RowKey & { readonly values: readonly (string | null)[] })[];
  /** Lines that are not rows, with the reasons. */
  readonly problems: readonly string[];
  /** Whether the file is CSV with columns without types. The types of such columns are inferred. */
  readonly isUntyped: boolean;
}

/** A property of a file. */
interface PreviewColumn {
  readonly name: string;
  readonly types: readonly string[];
}

/** The result of an import or a copy. */
export interface TransferSummary {
  readonly read: number;
  readonly written: number;
  readonly skipped: number;
  /** Waiting messages of an outbox and markers of transactions, which are left out. */
  readonly omitted: number;
  readonly refused: number;
  /** Lines that are not rows, and rows that the storage refuses: the first of them. */
  readonly problems: readonly string[];
}
