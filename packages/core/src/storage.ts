// The port that stores implement, for programs that write or wrap a storage.

export type {
  StorageSignals,
  TableStorage,
  ContinuationToken,
  StoredPage,
  RequestOptions,
  StoredQuery,
} from "./storage/table-storage.ts";
export type { RetryPolicy } from "./storage/retry-policy.ts";
export type { EntityKey, EdmType, StoredEntity, StoredValue } from "./values/edm/stored-entity.ts";
export type {
  DeleteOperation,
  InsertOperation,
  UpdateOperation,
  UpsertOperation,
  WriteOperation,
  WriteResult,
} from "./storage/write-operation.ts";
export type {
  Comparison,
  ComparisonOperator,
  FilterConstant,
  FilterNode,
  Literal,
} from "./values/filter/filter-node.ts";
export type { Clock } from "./storage/clock.ts";
export type { StorageFailure } from "./values/errors/storage-error.ts";
