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
