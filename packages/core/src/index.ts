// The front door: what most programs use, by layer from top to bottom. Key formats are in `keys`, upgrades in `upgrades`.

export type { ContextOptions } from "./context/context-options.ts";
export type { DeclaredPatterns, UnknownPatternPolicy } from "./context/unknown-patterns.ts";
export { UnreadableRow, type UnreadableRowPolicy } from "./codec/unreadable-row.ts";
export { createTables, type CreateTablesOptions } from "./maintenance/create-tables.ts";
export type { EntityEntry } from "./unit-of-work/entity-entry.ts";
export type { FindOptions, ReloadOptions } from "./context/entity-reader.ts";
export type { EntityChanges } from "./context/entity-changes.ts";
export type { ContextHooks, HookContext, ReceivedAnswer } from "./unit-of-work/hooks.ts";
export type { SentRequest } from "./storage/tracing/trace-events.ts";
export type { ModifyOptions } from "./context/modify-entity.ts";
export type { Choice, Resolution } from "./context/resolve-conflict.ts";
export type { SaveOptions } from "./save/save-options.ts";
export type { ResolveOptions } from "./recovery/resolve-in-doubt.ts";
export {
  type SchemaInput,
  type SchemaIssue,
  type SchemaResult,
  standardSchema,
  type StandardSchema,
} from "./save/standard-schema.ts";
export { TableContext } from "./context/table-context.ts";
export type { ConstraintViolation, EntityValidator, TransformOptions } from "./save/validator.ts";
export type { PendingChange } from "./unit-of-work/pending-changes.ts";
export { buildIndex, dropIndex, verifyIndex } from "./index-jobs.ts";
export type { IndexJobOptions } from "./maintenance/build-index.ts";
export type { VerifyIndexOptions } from "./maintenance/verify-index.ts";
export type {
  DuplicateValue,
  IndexBuildReport,
  IndexDifference,
  IndexDropReport,
  IndexProgress,
  IndexVerification,
} from "./maintenance/index-report.ts";
export type { RowLeftBehind } from "./maintenance/upgrade-report.ts";
export { openStorage, type OpenOptions } from "./open-storage.ts";
export { logActivity } from "./log-activity.ts";
export type { ActivityLogOptions, LoggedActivity } from "./storage/tracing/activity-log.ts";
export type { AroundWork } from "./storage/tracing/trace-without-result.ts";
export type { QueryEvent, RequestEvent, SaveEvent } from "./storage/tracing/trace-events.ts";
export { repairFile } from "./repair-file.ts";
export type {
  RepairedTable,
  RepairOptions,
  RepairProgress,
  RepairReport,
} from "./adapters/embedded/verify/repair-database.ts";
export type { LostRow } from "./adapters/embedded/verify/repair-rows.ts";
export { verifyFile } from "./verify-file.ts";
export type { FileCheck, FileFinding } from "./adapters/embedded/verify/findings.ts";
export type {
  VerifyOptions,
  VerifyProgress,
  VerifyReport,
} from "./adapters/embedded/verify/verify-database.ts";

export type {
  AccessToken,
  AccountKeys,
  Credential,
  SasCredential,
  TokenCredential,
} from "./adapters/rest/credentials/credential.ts";
export type { ConnectionOptions, RequestDispatcher } from "./adapters/rest/http/connection-options.ts";
export type { TimeLimits } from "./adapters/rest/http/transport.ts";
export type { RestOptions } from "./adapters/rest/rest-options.ts";
export type { SharedKey } from "./adapters/rest/credentials/sas.ts";
export type { SharedKeyScheme } from "./adapters/rest/credentials/sign-request.ts";
export type { MetadataLevel } from "./adapters/rest/wire/wire-format.ts";

export type {
  Column,
  Columns,
  EqualityColumn,
  EqualTo,
  NotComparable,
  OrderedColumn,
  TextColumn,
} from "./query/build/columns.ts";
export type { ExplainedMerge, ExplainedRequest, Explanation } from "./query/plan/explain.ts";
export { odata, type ODataTag, type ODataValue, type RawFilter } from "./query/build/odata.ts";
export type { Predicate, NotAPredicate, PredicateResult } from "./query/build/predicate.ts";
export type { QueryType, Rating } from "./query/plan/query-plan.ts";
export type { BulkOptions, BulkProgress } from "./query/options/bulk-options.ts";
export type {
  IncludeOptions,
  OrphanPolicy,
  Relations,
  WithChildren,
} from "./query/options/include-options.ts";
export type { Projected } from "./query/build/projection.ts";
export type { Query } from "./query/query.ts";
export type { PageOptions, PageToken, QueryPage } from "./query/options/page-options.ts";
export type { ReadOptions } from "./query/options/read-options.ts";

export type { MergeOption } from "./model/merge-option.ts";
export type { EntityState, PropertyConflict, UpsertMode } from "./unit-of-work/tracked-entity.ts";

export { analyzeKeys, type KeyFinding } from "./model/analyze-keys.ts";
export type { Children, ChildrenOf } from "./model/children.ts";
export { fromPlain, type JsonValue, type PlainEntity, toPlain } from "./codec/plain-entity.ts";
export { defineEntity, defineKind } from "./model/define-entity.ts";
export type { EntityDeclaration, KindDeclaration } from "./model/define-entity.ts";
export type {
  EntityClass,
  IndexCopy,
  IndexState,
  IndexStatesSource,
  TableOptions,
  UnknownKindPolicy,
} from "./model/entity-definition.ts";
export {
  type DataOf,
  type DefinedEntity,
  type DefinedKind,
  type EntityShape,
  type IndexDeclaration,
  indexNames,
  type IndexNamesOf,
  type InitOf,
  type InitOfClass,
  type InstanceOf,
  keyParts,
  type KeyOf,
  type KeyOfClass,
  type KeyNames,
  type KeyPartsOf,
  type KeyPartType,
  type ValueOf,
} from "./model/entity-shape.ts";
export type { UndeclaredPolicy } from "./model/undeclared-policy.ts";
export {
  type AnyPropertyType,
  binary,
  bool,
  convert,
  dateTime,
  double,
  enumOf,
  guid,
  type GuidType,
  int32,
  int64,
  json,
  type Presence,
  type PropertyType,
  text,
} from "./model/property-type.ts";

export type { Clock } from "./storage/clock.ts";
export type { HeatReport, PartitionHeat, TableInserts } from "./storage/heat/partition-heat.ts";
export {
  type HeatOptions,
  watchPartitions,
  type WatchedStorage,
  type WatchOptions,
} from "./storage/heat/watch-partitions.ts";
export type { RetryPolicy } from "./storage/retry-policy.ts";
export type {
  ContinuationToken,
  Page,
  RequestOptions,
  StoredQuery,
  TableStorage,
} from "./storage/table-storage.ts";
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
} from "./filter/filter-node.ts";

export type { KeyPattern } from "./keys/key-format.ts";

export type { Converter } from "./edm/convert.ts";
export type { EdmForms } from "./edm/edm-forms.ts";
export type { Kept, Serializer } from "./edm/serializer.ts";
export type { EdmType, EntityKey, StoredEntity, StoredValue } from "./edm/stored-entity.ts";
export { Ticks } from "./edm/ticks.ts";

export { ConflictError, type ConflictReason } from "./errors/conflict-error.ts";
export { KeyError } from "./errors/key-error.ts";
export { KindError } from "./errors/kind-error.ts";
export { ModelError } from "./errors/model-error.ts";
export { OptionError } from "./errors/option-error.ts";
export { PatternError } from "./errors/pattern-error.ts";
export { QueryError, ScanRefused } from "./errors/query-error.ts";
export { type EntityViolation, SaveError } from "./save/save-error.ts";
export type { CommittedResult, FailedResult, SaveResult } from "./unit-of-work/save-result.ts";
export { type PropertyPath, SerializationError } from "./errors/serialization-error.ts";
export { StateError } from "./errors/state-error.ts";
export { type ServiceCode, StorageError, type StorageFailure } from "./errors/storage-error.ts";
export { type ErrorDetails, TableError } from "./errors/table-error.ts";
export { UpgradeError } from "./errors/upgrade-error.ts";
export { ValidationError } from "./errors/validation-error.ts";
