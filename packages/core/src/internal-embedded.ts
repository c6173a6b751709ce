// Glue between Partita's own packages: the files of the embedded store, for what checks and repairs them. Any version may
// change it.

export { emptyDatabase, openToCheck } from "./stores/embedded/open-to-check.ts";
export { RestoredFile, type RestoredTable } from "./stores/embedded/restored-file.ts";
export { checksumOfTable } from "./stores/embedded/row-checksum.ts";
export { keyIndexOf, rowsOf, sumMask, tableNames } from "./stores/embedded/schema.ts";
export { isSound, keyOf } from "./stores/embedded/sound-row.ts";
export { isOfContent, toStorageError } from "./stores/embedded/sqlite-errors.ts";
export { isDamage, type Row, storedColumns } from "./stores/embedded/stored-row.ts";
