// Glue between Partita's own packages. Any version may change it; programs import the other entries.

export { accepted, aFunction, trueOrFalse, wholeNumber } from "./values/options/checks.ts";
export {
  type Check,
  checkArgument,
  type CheckOptions,
  type Checks,
  defineOptions,
} from "./values/options/define-options.ts";
export { aClock, monotonicTime } from "./storage/clock.ts";
export { aRetryPolicy, isTransient, waitOf } from "./storage/retry-policy.ts";
export { abortSignal, optionsOf, required } from "./values/options/checks.ts";
export { followPages } from "./storage/follow-pages.ts";
export { forwardStorage } from "./storage/forward-storage.ts";
export { internalTables, isInternalTable } from "./storage/internal-tables.ts";
export { prefixTables } from "./storage/prefix-tables.ts";
export { traceWithoutResult } from "./storage/tracing/trace-without-result.ts";
export {
  forwardEngine,
  type FoundRow,
  hasRowBytes,
  readRow,
  readRows,
  type RowPage,
} from "./storage/store-engine.ts";
export { type PackedBytes, type PackedSum, packedSumOf } from "./values/edm/packed-bytes.ts";
export type { ReadList, ReadRow, RowBody, RowReader } from "./storage/row-reader.ts";
export { clearIndexStates } from "./model/schema/create-missing-table.ts";
export { isEntityRow } from "./model/codec/row-layout.ts";
export { isClosedMarker, isMessageRow, markerRow } from "./model/codec/commit-rows.ts";
export { sendKey, sendWith } from "./work/context/entity-changes.ts";
export type {
  OutboxAnnouncement,
  OutboxFate,
  OutboxMessage,
  OutboxPlace,
} from "./work/unit-of-work/outbox-message.ts";
export { runTableJob, type TableWork } from "./tables/table-jobs.ts";
export { brand } from "./values/errors/brand.ts";
export { checkCopy } from "./values/errors/second-copy.ts";
export { asError, isDate, isError, isUint8Array, messageOf, tagOf } from "./values/errors/built-ins.ts";
export { keyOfStored, timestampOf, withoutSystemValues } from "./model/codec/row-layout.ts";
export { rowProperty } from "./model/declaration/entity-model.ts";
export { createForMovedRows } from "./model/schema/create-missing-table.ts";
export { checkFilter } from "./storage/check-filter.ts";
export { isOvertaken } from "./storage/conflict-reason.ts";
export { TokenWatch } from "./storage/follow-pages.ts";
export {
  isReadableTable,
  isTableName,
  jsonBytes,
  maxPageSize,
  maxTransactionBytes,
  maxTransactionOperations,
} from "./storage/limits.ts";
export { logAsEnvironmentSays } from "./storage/tracing/log-activity.ts";
export { type Patiently, patientlyBy, type Retries, retriesOf, retryReads } from "./storage/with-retry.ts";
export { authorizerFor } from "./stores/azure/credentials/authorizer.ts";
export { readAccount } from "./stores/azure/credentials/connection-string.ts";
export {
  checkLetters,
  inOrder,
  invalidSas,
  limitsOfSas,
  sasVersion,
  signSas,
} from "./stores/azure/credentials/sas.ts";
export { queueRequestSigner } from "./stores/azure/credentials/sign-queue-request.ts";
export { connectionChecks } from "./stores/azure/http/connection-options.ts";
export type { RawAnswer } from "./stores/azure/http/exchange.ts";
export { RestClient, type RestRequest } from "./stores/azure/http/rest-client.ts";
export { restChecks, timeLimitsOf } from "./stores/azure/rest-options.ts";
export { queueService } from "./stores/azure/service.ts";
export { textOf } from "./stores/azure/wire/read-answer.ts";
export { childOf, childrenOf, malformedXml, textOfChild } from "./stores/azure/wire/read-xml.ts";
export { checkRuntime } from "./stores/check-runtime.ts";
export { checkJobTable } from "./tables/job-record.ts";
export { Pace } from "./tables/pace.ts";
export { bucketOf, hashOf, RowSums } from "./tables/row-sums.ts";
export { jobRetry, TableJob } from "./tables/table-job.ts";
export { findEdmType } from "./values/edm/edm-types.ts";
export { isInt32 } from "./values/edm/int32.ts";
export { isPropertyName, shownName } from "./values/edm/property-name.ts";
export { setMember, type StoredEntityDraft } from "./values/edm/stored-entity.ts";
export { epochOffsetMs } from "./values/edm/ticks.ts";
export { isInRange } from "./values/edm/typed-value.ts";
export { markCopy, sharedSymbol } from "./values/errors/brand.ts";
export { describeType } from "./values/errors/serialization-error.ts";
export { cancelled } from "./values/errors/storage-error.ts";
export { maxKeyLength } from "./values/keys/key-rules.ts";
export { ulidSource } from "./values/keys/ulid.ts";
export { numberAboveZero, oneOf } from "./values/options/checks.ts";
export { refusedOption } from "./values/options/define-options.ts";
