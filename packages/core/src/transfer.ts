// Moving rows between storages: a table service, an emulator, a file.

export {
  compareTables,
  type CompareOptions,
  type RowDifference,
  type TableComparison,
} from "./tables/transfer/compare-tables.ts";
export {
  type CopyProgress,
  type CopyReport,
  copyTable,
  type CopyTableOptions,
  type RefusedRow,
} from "./tables/transfer/copy-table.ts";
export {
  type ExportOptions,
  type ExportProgress,
  exportTable,
  type FileFormat,
} from "./tables/transfer/export-table.ts";
export {
  type ImportOptions,
  type ImportProgress,
  type ImportReport,
  importTable,
} from "./tables/transfer/import-table.ts";
export { TransferError } from "./values/errors/transfer-error.ts";
export type { OmittedRows, TransactionRows } from "./tables/transfer/transaction-rows.ts";
export type { ExistingRows } from "./tables/transfer/write-rows.ts";
