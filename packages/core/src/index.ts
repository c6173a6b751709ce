// The front door: what most programs use. Everything else has an entry of its own, listed in the package's README.

export { TableContext } from "./work/context/table-context.ts";
export type { ContextOptions } from "./work/context/context-options.ts";
export type { ContextHooks } from "./work/unit-of-work/hooks.ts";
export type { EntityEntry } from "./work/unit-of-work/entity-entry.ts";
export type { FindOptions, ReloadOptions } from "./work/context/entity-reader.ts";
export type { ModifyOptions } from "./work/context/modify-entity.ts";
export type { ConflictChoice, ConflictResolution } from "./work/context/resolve-conflict.ts";
export type { SaveOptions } from "./work/save/save-options.ts";
export type { ResolveOptions } from "./work/recovery/resolve-in-doubt.ts";
export type { PendingChange } from "./work/unit-of-work/pending-changes.ts";
export { UnreadableRow } from "./model/codec/unreadable-row.ts";
export { createTables, type CreateTablesOptions } from "./model/schema/create-tables.ts";
export { openStorage, type OpenOptions } from "./stores/open-storage.ts";
export type { RestOptions } from "./stores/azure/rest-options.ts";
export { standardSchema } from "./work/save/standard-schema.ts";
export type { EntityValidator, ConstraintViolation } from "./work/save/validator.ts";
export type { Query } from "./query/query.ts";
export type { Predicate } from "./query/build/predicate.ts";
export type { Explanation } from "./query/plan/explain.ts";
export { odata } from "./query/build/odata.ts";
export type { BulkOptions } from "./query/options/bulk-options.ts";
export type { IncludeOptions, WithChildren } from "./query/options/include-options.ts";
export type { PageOptions, PageToken, Page } from "./query/options/page-options.ts";
export type { ReadOptions } from "./query/options/read-options.ts";
export type { MergeOption } from "./model/declaration/merge-option.ts";
export type { EntityState, PropertyConflict, UpsertMode } from "./work/unit-of-work/tracked-entity.ts";
export type { SaveResult, CommittedResult, FailedResult } from "./work/unit-of-work/save-result.ts";
export type { Children } from "./model/declaration/children.ts";
export { fromPlain, toPlain } from "./model/codec/plain-entity.ts";
export type { Plain } from "./model/declaration/plain-types.ts";
export { owned } from "./model/declaration/children.ts";
export { work, type WorkOptions } from "./work/context/work.ts";
export { defineEntity, defineKind } from "./model/declaration/define-entity.ts";
export type { EntityClass } from "./model/declaration/entity-definition.ts";
export {
  indexNames,
  type DefinedEntity,
  type DefinedKind,
  type NewOf,
  type KeyOf,
} from "./model/declaration/entity-shape.ts";
export {
  type PropertyType,
  type SimpleType,
  binary,
  bool,
  convert,
  dateTime,
  double,
  enumOf,
  guid,
  int32,
  int64,
  json,
  text,
} from "./model/declaration/property-type.ts";
export type { Converter } from "./values/edm/convert.ts";
export { Ticks } from "./values/edm/ticks.ts";
export type { TableStorage } from "./storage/table-storage.ts";
export type { RetryPolicy } from "./storage/retry-policy.ts";
export type { EntityKey, EdmType } from "./values/edm/stored-entity.ts";
export { ConflictError, type ConflictReason } from "./values/errors/conflict-error.ts";
export { KeyError } from "./values/errors/key-error.ts";
export { KindError } from "./values/errors/kind-error.ts";
export { ModelError } from "./values/errors/model-error.ts";
export { OptionError } from "./values/errors/option-error.ts";
export { QueryError, ScanRefused } from "./values/errors/query-error.ts";
export { SaveError } from "./work/save/save-error.ts";
export { SerializationError } from "./values/errors/serialization-error.ts";
export { StateError } from "./values/errors/state-error.ts";
export { type ServiceCode, StorageError } from "./values/errors/storage-error.ts";
export { type ErrorDetails, TableError } from "./values/errors/table-error.ts";
export { UpgradeError } from "./values/errors/upgrade-error.ts";
export { ValidationError } from "./values/errors/validation-error.ts";
