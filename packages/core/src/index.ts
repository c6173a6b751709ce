// The front door: what most programs use, by layer from top to bottom. Key formats are in `keys`, upgrades in `upgrades`.

export type { ContextOptions } from "./work/context/context-options.ts";
export type { DeclaredPatterns, UnknownPatternPolicy } from "./work/context/unknown-patterns.ts";
export { UnreadableRow, type UnreadableRowPolicy } from "./model/codec/unreadable-row.ts";
export { createTables, type CreateTablesOptions } from "./tables/create-tables.ts";
export type { EntityEntry } from "./work/unit-of-work/entity-entry.ts";
export type { FindOptions, ReloadOptions } from "./work/context/entity-reader.ts";
export type { EntityChanges } from "./work/context/entity-changes.ts";
export type { ContextHooks, HookContext, ReceivedAnswer } from "./work/unit-of-work/hooks.ts";
export type { SentRequest } from "./storage/tracing/trace-events.ts";
export type { ModifyOptions } from "./work/context/modify-entity.ts";
export type { Choice, Resolution } from "./work/context/resolve-conflict.ts";
export type { SaveOptions } from "./work/save/save-options.ts";
export type { ResolveOptions } from "./work/recovery/resolve-in-doubt.ts";
export {
  type SchemaInput,
  type SchemaIssue,
  type SchemaResult,
  standardSchema,
  type StandardSchema,
} from "./work/save/standard-schema.ts";
export { TableContext } from "./work/context/table-context.ts";
export type { ConstraintViolation, EntityValidator, TransformOptions } from "./work/save/validator.ts";
export type { PendingChange } from "./work/unit-of-work/pending-changes.ts";
export { buildIndex, dropIndex, verifyIndex } from "./tables/index-jobs.ts";
export type { IndexJobOptions } from "./tables/build-index.ts";
export type { VerifyIndexOptions } from "./tables/verify-index.ts";
export type {
  DuplicateValue,
  IndexBuildReport,
  IndexDifference,
  IndexDropReport,
  IndexProgress,
  IndexVerification,
} from "./tables/index-report.ts";
export type { RowLeftBehind } from "./tables/upgrade-report.ts";
export { openStorage, type OpenOptions } from "./stores/open-storage.ts";
export { logActivity } from "./storage/tracing/log-activity.ts";
export type { ActivityLogOptions, LoggedActivity } from "./storage/tracing/activity-log.ts";
export type { AroundWork } from "./storage/tracing/trace-without-result.ts";
export type { QueryEvent, RequestEvent, SaveEvent } from "./storage/tracing/trace-events.ts";
export { repairFile } from "./stores/repair-file.ts";
export type {
  RepairedTable,
  RepairOptions,
  RepairProgress,
  RepairReport,
} from "./stores/embedded/verify/repair-database.ts";
export type { LostRow } from "./stores/embedded/verify/repair-rows.ts";
export { verifyFile } from "./stores/verify-file.ts";
export type { FileCheck, FileFinding } from "./stores/embedded/verify/findings.ts";
export type {
  VerifyOptions,
  VerifyProgress,
  VerifyReport,
} from "./stores/embedded/verify/verify-database.ts";

export type {
  AccessToken,
  AccountKeys,
  Credential,
  SasCredential,
  TokenCredential,
} from "./stores/azure/credentials/credential.ts";
export type { ConnectionOptions, RequestDispatcher } from "./stores/azure/http/connection-options.ts";
export type { TimeLimits } from "./stores/azure/http/transport.ts";
export type { RestOptions } from "./stores/azure/rest-options.ts";
export type { SharedKey } from "./stores/azure/credentials/sas.ts";
export type { SharedKeyScheme } from "./stores/azure/credentials/sign-request.ts";
export type { MetadataLevel } from "./stores/azure/wire/wire-format.ts";

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

export type { MergeOption } from "./model/declaration/merge-option.ts";
export type { EntityState, PropertyConflict, UpsertMode } from "./work/unit-of-work/tracked-entity.ts";

export { analyzeKeys, type KeyFinding } from "./model/declaration/analyze-keys.ts";
export type { Children, ChildrenOf } from "./model/declaration/children.ts";
export { fromPlain, type JsonValue, type PlainEntity, toPlain } from "./model/codec/plain-entity.ts";
export { defineEntity, defineKind } from "./model/declaration/define-entity.ts";
export type { EntityDeclaration, KindDeclaration } from "./model/declaration/define-entity.ts";
export type {
  EntityClass,
  IndexCopy,
  IndexState,
  IndexStatesSource,
  TableOptions,
  UnknownKindPolicy,
} from "./model/declaration/entity-definition.ts";
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
} from "./model/declaration/entity-shape.ts";
export type { UndeclaredPolicy } from "./model/declaration/undeclared-policy.ts";
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
} from "./model/declaration/property-type.ts";

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
} from "./values/filter/filter-node.ts";

export type { KeyPattern } from "./values/keys/key-format.ts";

export type { Converter } from "./values/edm/convert.ts";
export type { EdmForms } from "./values/edm/edm-forms.ts";
export type { Kept, Serializer } from "./values/edm/serializer.ts";
export type { EdmType, EntityKey, StoredEntity, StoredValue } from "./values/edm/stored-entity.ts";
export { Ticks } from "./values/edm/ticks.ts";

export { ConflictError, type ConflictReason } from "./values/errors/conflict-error.ts";
export { KeyError } from "./values/errors/key-error.ts";
export { KindError } from "./values/errors/kind-error.ts";
export { ModelError } from "./values/errors/model-error.ts";
export { OptionError } from "./values/errors/option-error.ts";
export { PatternError } from "./values/errors/pattern-error.ts";
export { QueryError, ScanRefused } from "./values/errors/query-error.ts";
export { type EntityViolation, SaveError } from "./work/save/save-error.ts";
export type { CommittedResult, FailedResult, SaveResult } from "./work/unit-of-work/save-result.ts";
export { type PropertyPath, SerializationError } from "./values/errors/serialization-error.ts";
export { StateError } from "./values/errors/state-error.ts";
export { type ServiceCode, StorageError, type StorageFailure } from "./values/errors/storage-error.ts";
export { type ErrorDetails, TableError } from "./values/errors/table-error.ts";
export { UpgradeError } from "./values/errors/upgrade-error.ts";
export { ValidationError } from "./values/errors/validation-error.ts";
