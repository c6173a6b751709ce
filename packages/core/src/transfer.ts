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
export type { ExistingRows } from "./transfer/write-rows.ts";
