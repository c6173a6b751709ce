// The front door: what tests of Partita programs and storages need. Arbitraries have an entry of their own, and the server is
// loaded when it is started, so that tests which use neither do not load them.

export { assertRequests, type AssertRequestsOptions } from "./assert-requests.ts";
export { type EntityFactory, entityFactory } from "./entity-factory.ts";
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
  type FaultKind,
  faultKinds,
  type FaultPlace,
  isPossibleFault,
  faultPlaces,
  faults,
} from "./faults/fault.ts";
export {
  type FaultedRequest,
  type FaultPlan,
  randomFaults,
  randomNumbers,
  type RandomFaultOptions,
  writeFaults,
} from "./faults/fault-plan.ts";
export type { FaultLog, FaultyStorage } from "./faults/faulty-storage.ts";
export { withFaults } from "./faults/with-faults.ts";
export { type ManualClock, manualClock } from "./manual-clock.ts";
export { type VirtualClock, virtualClock } from "./virtual-clock.ts";
export type { TlsCertificate } from "./server/http/tls-server.ts";
export type { TableServerOptions } from "./server/server-options.ts";
export { startTableServer } from "./server/start-table-server.ts";
export type { TableServer } from "./server/table-server.ts";
export { type MutationOptions, mutations } from "./mutations.ts";
