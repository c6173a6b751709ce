// Moving rows between storages: a table service, an emulator, a file.

export {
  compareTables,
  type CompareOptions,
  type RowDifference,
  type TableComparison,
} from "./compare-tables.ts";
export {
  type CopyProgress,
  type CopyState,
  copyState,
  type CopyReport,
  copyTable,
  type CopyTableOptions,
  type RefusedRow,
} from "./copy-table.ts";
export type { ColumnTypes } from "./column-types.ts";
export type { ExistingRows } from "./existing-rows.ts";
export { type ExportOptions, type ExportProgress, exportTable } from "./export-table.ts";
export { type ImportOptions, type ImportProgress, type ImportReport, importTable } from "./import-table.ts";
export { type ReadForm, readRows, type ReadRowsOptions } from "./read-rows.ts";
export type { FileFormat, RowForm } from "./row-text.ts";
export { rowsAsText, type RowsAsTextOptions } from "./rows-as-text.ts";
export { TransferError } from "./transfer-error.ts";
export type { OmittedRows, TransactionRows } from "./transaction-rows.ts";
