/** A text for each partition of each table. Table names ignore case; keys have no control characters, so that NUL separates. */
export const partitionId = (table: string, partitionKey: string): string =>
  `${table.toLowerCase()}\0${partitionKey}`;
