// The services' own forms, for those who write servers and clients of it. These names may change in any version.

export { allOf, compare, textLiteral } from "./values/filter/filter-node.ts";
export type {
  Comparison,
  ComparisonOperator,
  FilterConstant,
  FilterNode,
  Literal,
} from "./values/filter/filter-node.ts";
export { parseFilter } from "./values/filter/parse-filter.ts";
export { printFilter } from "./values/filter/print-filter.ts";
export { evaluateFilter, lookupIn, type ValueLookup } from "./values/filter/evaluate-filter.ts";

export { annotationOf, edmTypeOf, isSystemName } from "./values/edm/stored-entity.ts";
export { entityPath } from "./stores/azure/wire/resource-url.ts";
export { canonicalDateTime, parseDateTime } from "./values/edm/date-time-text.ts";
export { setTyped, type TypedValue, typedValue, untypedValue } from "./values/edm/typed-value.ts";
export { type AtomProperties, parseEntry } from "./stores/azure/wire/atom/parse-atom.ts";
export {
  type AtomEntry,
  atomNamespaces,
  atomProperties,
  atomProperty,
  printEntry,
} from "./stores/azure/wire/atom/print-atom.ts";
export { escapeXml, readXml, type XmlElement, xmlDeclaration } from "./stores/azure/wire/read-xml.ts";
export {
  parseAccessPolicies,
  parseServiceProperties,
  printAccessPolicies,
  printServiceProperties,
  printServiceStatistics,
} from "./stores/azure/wire/service-xml.ts";

export {
  accountSasText,
  isAccountKey,
  type SasParameters,
  tableSasText,
} from "./stores/azure/credentials/sas.ts";
export { queueSasText } from "./stores/azure/credentials/queue-sas.ts";
export { queueSharedKeyText, type SignedQueueParts } from "./stores/azure/credentials/sign-queue-request.ts";
export { sharedKeyText, type SignedParts } from "./stores/azure/credentials/sign-request.ts";

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
