// Glue between the packages of Partita. Not for programs: anything here may change in any version.

export { kindChooser } from "./model/codec/choose-kind.ts";
export { keyOfStored, timestampOf, withoutSystemValues } from "./model/codec/row-layout.ts";
export { rowProperty } from "./model/declaration/entity-model.ts";
export { createForMovedRows } from "./model/schema/create-missing-table.ts";
export { queryTypes, worse } from "./query/plan/query-plan.ts";
export { isQuery, unreadQuery } from "./query/unread-query.ts";
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
export { commitRows, engineOf, offerEngine, type StoreEngine } from "./storage/store-engine.ts";
export { logAsEnvironmentSays } from "./storage/tracing/log-activity.ts";
export { type Patiently, patientlyBy, type Retries, retriesOf, retryReads } from "./storage/with-retry.ts";
export { EncodedWrite, keyOfOperation } from "./storage/write-operation.ts";
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
export { storedGuid } from "./values/edm/guid.ts";
export { isInt32 } from "./values/edm/int32.ts";
export { isPropertyName, shownName } from "./values/edm/property-name.ts";
export { setMember, type StoredEntityDraft } from "./values/edm/stored-entity.ts";
export { epochOffsetMs } from "./values/edm/ticks.ts";
export { isInRange } from "./values/edm/typed-value.ts";
export { markCopy, sharedSymbol } from "./values/errors/brand.ts";
export { describeType } from "./values/errors/serialization-error.ts";
export { cancelled } from "./values/errors/storage-error.ts";
export { warnOnce } from "./values/errors/warn-once.ts";
export { maxKeyLength } from "./values/keys/key-rules.ts";
export { loadCrypto } from "./values/keys/load-crypto.ts";
export { ulidSource } from "./values/keys/ulid.ts";
export { numberAboveZero, oneOf } from "./values/options/checks.ts";
export { refusedOption } from "./values/options/define-options.ts";
export { isPatterns, patternShapes } from "./work/context/unknown-patterns.ts";
