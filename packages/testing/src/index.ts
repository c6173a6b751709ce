// The front door: what tests of Partita programs and storages need.

export { hostileText, int64Value, legalKey, storableDate } from "./arbitraries.ts";
export type { ConformanceCase } from "./conformance/conformance-case.ts";
export {
  conformanceCases,
  type ConformanceRunner,
  type ConformanceSkip,
  describeStorage,
  type DescribeStorageOptions,
} from "./conformance/describe-storage.ts";
export {
  type Fault,
  type FaultedRequest,
  type FaultPlan,
  faults,
  type FaultyStorage,
  withFaults,
  writeFaults,
} from "./faults/with-faults.ts";
export { startTableServer, type TableServer, type TableServerOptions } from "./server/table-server.ts";
