// The services' own forms, for those who write servers and clients of it. These names may change in any version.

export { allOf, compare, textLiteral } from "./filter/filter-node.ts";
export type {
  Comparison,
  ComparisonOperator,
  FilterConstant,
  FilterNode,
  Literal,
} from "./filter/filter-node.ts";
export { parseFilter } from "./filter/parse-filter.ts";
export { printFilter } from "./filter/print-filter.ts";
export { evaluateFilter, lookupIn, type ValueLookup } from "./filter/evaluate-filter.ts";

export { annotationOf, edmTypeOf, isSystemName } from "./edm/stored-entity.ts";
export { entityPath } from "./adapters/rest/wire/resource-url.ts";
export { canonicalDateTime, parseDateTime } from "./edm/date-time-text.ts";
export { setTyped, type TypedValue, typedValue, untypedValue } from "./edm/typed-value.ts";
export { type AtomProperties, parseEntry } from "./adapters/rest/wire/atom/parse-atom.ts";
export {
  type AtomEntry,
  atomNamespaces,
  atomProperties,
  atomProperty,
  printEntry,
} from "./adapters/rest/wire/atom/print-atom.ts";
export {
  escapeXml,
  loadXmlReader,
  type XmlElement,
  type XmlReader,
  xmlDeclaration,
} from "./adapters/rest/wire/read-xml.ts";
export {
  parseAccessPolicies,
  parseServiceProperties,
  printAccessPolicies,
  printServiceProperties,
  printServiceStatistics,
} from "./adapters/rest/wire/service-xml.ts";

export {
  accountSasText,
  isAccountKey,
  type SasParameters,
  tableSasText,
} from "./adapters/rest/credentials/sas.ts";
export { queueSasText } from "./adapters/rest/credentials/queue-sas.ts";
export { queueSharedKeyText, type SignedQueueParts } from "./adapters/rest/credentials/sign-queue-request.ts";
export { sharedKeyText, type SignedParts } from "./adapters/rest/credentials/sign-request.ts";

export { accepted, aFunction, trueOrFalse, wholeNumber } from "./options/checks.ts";
export {
  type Check,
  checkArgument,
  type CheckOptions,
  type Checks,
  defineOptions,
} from "./options/define-options.ts";
export { aClock, monotonicTime } from "./storage/clock.ts";
export { aRetryPolicy, isTransient, waitOf } from "./storage/retry-policy.ts";
export { abortSignal, optionsOf, required } from "./options/checks.ts";
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
export { type PackedBytes, type PackedSum, packedSumOf } from "./edm/packed-bytes.ts";
export type { ReadList, ReadRow, RowBody, RowReader } from "./storage/row-reader.ts";
export { clearIndexStates } from "./schema/create-missing-table.ts";
export { isEntityRow } from "./codec/row-layout.ts";
export { isClosedMarker, isMessageRow, markerRow } from "./codec/commit-rows.ts";
export { sendKey, sendWith } from "./context/entity-changes.ts";
export type {
  OutboxAnnouncement,
  OutboxFate,
  OutboxMessage,
  OutboxPlace,
} from "./unit-of-work/outbox-message.ts";
export { runTableJob, type TableWork } from "./table-jobs.ts";
export { brand } from "./errors/brand.ts";
export { checkCopy } from "./errors/second-copy.ts";
export { asError, isDate, isError, isUint8Array, messageOf, tagOf } from "./errors/built-ins.ts";
