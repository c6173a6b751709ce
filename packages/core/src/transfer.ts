// Moving rows between storages: a table service, an emulator, a file.

export {
  compareTables,
  type CompareOptions,
  type RowDifference,
  type TableComparison,
} from "./transfer/compare-tables.ts";
export {
  type CopyProgress,
  type CopyReport,
  copyTable,
  type CopyTableOptions,
  type RefusedRow,
} from "./transfer/copy-table.ts";
export {
  type ExportOptions,
  type ExportProgress,
  exportTable,
  type FileFormat,
} from "./transfer/export-table.ts";
export {
  type ImportOptions,
  type ImportProgress,
  type ImportReport,
  importTable,
} from "./transfer/import-table.ts";
export { TransferError } from "./errors/transfer-error.ts";
export type { OmittedRows, TransactionRows } from "./transfer/transaction-rows.ts";
export type { ExistingRows } from "./transfer/write-rows.ts";
