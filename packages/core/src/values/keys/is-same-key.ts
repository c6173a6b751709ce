import type { EntityKey } from "../edm/stored-entity.ts";

export const isSameKey = (a: EntityKey, b: EntityKey): boolean =>
  a.partitionKey === b.partitionKey && a.rowKey === b.rowKey;
