// Glue between Partita's own packages: the files of the embedded store, for what checks and repairs them. Any version may
// change it.

export { retryWhileBusy } from "./stores/embedded/busy-retry.ts";
export { checkIdentity, openDatabaseFile } from "./stores/embedded/database-file.ts";
export { type ReadOnlyFile, openToRead } from "./stores/embedded/open-to-read.ts";
export type { FixedFiles } from "./stores/embedded/fixed-files.ts";
export { loadSqlite } from "./stores/embedded/load-sqlite.ts";
export type { PreparedOperation } from "./stores/embedded/prepare-operation.ts";
export { isStoredBody } from "./stores/embedded/row-body.ts";
export { checksumOfTable } from "./stores/embedded/row-checksum.ts";
export { RowWriter } from "./stores/embedded/row-writer.ts";
export {
  createRows,
  createSchema,
  keyIndexOf,
  rowsOf,
  sumMask,
  tableNames,
} from "./stores/embedded/schema.ts";
export { isBusy, isOfContent, toStorageError } from "./stores/embedded/sqlite-errors.ts";
export { checkRow, isDamage, parseRow, type Row, storedColumns } from "./stores/embedded/stored-row.ts";
export { addTable, Statements } from "./stores/embedded/table-statements.ts";
