// Glue between Partita's own packages. Any version may change it; programs import the other entries.

export { kindChooser } from "./model/codec/choose-kind.ts";
export { isClosedMarker, isMessageRow, markerRow } from "./model/codec/commit-rows.ts";
export { keyOfEntity } from "./model/codec/entity-key.ts";
export { newEntity } from "./model/codec/fill-entity.ts";
export { printPlain, printProperty, readPlain, readPlainProperty } from "./model/codec/plain-entity.ts";
export { isEntityRow, keyOfStored, timestampOf, withoutSystemValues } from "./model/codec/row-layout.ts";
export { rootOf, rowProperty } from "./model/declaration/entity-model.ts";
export { kindsBelow } from "./model/declaration/model-registry.ts";
export {
  clearIndexStates,
  createForMovedRows,
  createMissingTable,
} from "./model/schema/create-missing-table.ts";
export { queryTypes, ratingOf, typeOf, worse } from "./query/plan/query-plan.ts";
export { readStates } from "./model/schema/schema-table.ts";
export { isQuery, unreadQuery } from "./query/unread-query.ts";
export { checkFilter } from "./storage/check-filter.ts";
export { aClock, monotonicTime, systemClock } from "./storage/clock.ts";
export { conflictReason, isOvertaken } from "./storage/conflict-reason.ts";
export { followPages, TokenWatch } from "./storage/follow-pages.ts";
export { forwardStorage } from "./storage/forward-storage.ts";
export { internalTables, isInternalTable } from "./storage/internal-tables.ts";
export {
  isReadableTable,
  isTableName,
  maxPageSize,
  maxTransactionBytes,
  maxTransactionOperations,
} from "./storage/limits.ts";
export { prefixTables } from "./storage/prefix-tables.ts";
export { aRetryPolicy, isTransient, waitOf } from "./storage/retry-policy.ts";
export type { ReadList, ReadRow, RowBody, RowReader } from "./storage/row-reader.ts";
export { Semaphore } from "./storage/semaphore.ts";
export {
  commitRows,
  engineOf,
  forwardEngine,
  type FoundRow,
  hasRowBytes,
  offerEngine,
  readRow,
  readRows,
  type RowPage,
  type StoreEngine,
} from "./storage/store-engine.ts";
export { logAsEnvironmentSays } from "./storage/tracing/log-activity.ts";
export { traceWithoutResult } from "./storage/tracing/trace-without-result.ts";
export { type Patiently, patientlyBy, type Retries, retriesOf, retryReads } from "./storage/with-retry.ts";
export { EncodedWrite, keyOfOperation } from "./storage/write-operation.ts";
export { bytesInTransaction, transactionGroups } from "./storage/transaction-groups.ts";
export { connectionChecks } from "./stores/azure/http/connection-options.ts";
export { restChecks, timeLimitsOf } from "./stores/azure/rest-options.ts";
export { checkRuntime } from "./stores/check-runtime.ts";
export { fileOf } from "./stores/open-storage.ts";
export { findEdmType } from "./values/edm/edm-types.ts";
export { storedGuid } from "./values/edm/guid.ts";
export { isInt32 } from "./values/edm/int32.ts";
export { type PackedBytes, type PackedSum, packedSumOf } from "./values/edm/packed-bytes.ts";
export { isPropertyName, shownName } from "./values/edm/property-name.ts";
export { setMember, type StoredEntityDraft } from "./values/edm/stored-entity.ts";
export { epochOffsetMs } from "./values/edm/ticks.ts";
export { isInRange } from "./values/edm/typed-value.ts";
export { brand, markCopy, sharedSymbol } from "./values/errors/brand.ts";
export { withoutLinks } from "./values/errors/error-page.ts";
export { asError, isDate, isError, isUint8Array, messageOf, tagOf } from "./values/errors/built-ins.ts";
export { PatternError } from "./values/errors/pattern-error.ts";
export { checkCopy } from "./values/errors/second-copy.ts";
export { describeType } from "./values/errors/serialization-error.ts";
export { cancelled } from "./values/errors/storage-error.ts";
export { warnOnce } from "./values/errors/warn-once.ts";
export { beginsWith } from "./values/filter/begins-with.ts";
export { type FilterToken, tokenize } from "./values/filter/filter-tokens.ts";
export { filterOfBounds, keyBoundsOf } from "./values/filter/key-bounds.ts";
export { parseTokens } from "./values/filter/parse-filter.ts";
export { successor } from "./values/keys/text-range.ts";
export { maxKeyLength } from "./values/keys/key-rules.ts";
export { loadCrypto } from "./values/keys/load-crypto.ts";
export { ulidSource } from "./values/keys/ulid.ts";
export {
  abortSignal,
  accepted,
  aFunction,
  numberAboveZero,
  oneOf,
  optionsOf,
  required,
  trueOrFalse,
  wholeNumber,
} from "./values/options/checks.ts";
export {
  type Check,
  checkArgument,
  type CheckOptions,
  type Checks,
  defineOptions,
  refusedOption,
} from "./values/options/define-options.ts";
export { sendKey, sendWith } from "./work/context/entity-changes.ts";
export { isPatterns, patternShapes } from "./work/context/unknown-patterns.ts";
export type {
  OutboxAnnouncement,
  OutboxOutcome,
  OutboxMessage,
  OutboxPlace,
} from "./work/unit-of-work/outbox-message.ts";
