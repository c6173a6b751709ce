import type { RowKey } from "../../api/cells.ts";

/** The key alone, without the values of a row. */
export const keyOf = ({ partitionKey, rowKey }: RowKey): RowKey => ({ partitionKey, rowKey });

/** Identifies a row among those of its table. */
export const idOf = ({ partitionKey, rowKey }: RowKey): string => JSON.stringify([partitionKey, rowKey]);

export const isSameKey = (a: RowKey, b: RowKey): boolean =>
  a.partitionKey === b.partitionKey && a.rowKey === b.rowKey;
