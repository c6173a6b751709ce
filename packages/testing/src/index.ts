// The entry point for tests of storages and programs that use Partita. Arbitraries have their own entry point, and the
// server is loaded when it is started, so tests without them don't load them.

export { assertRequests, type AssertRequestsOptions } from "./assert-requests.ts";
export { assertPatterns, checkPatterns } from "./patterns/assert-patterns.ts";
export type { CheckedPattern } from "./patterns/check-pattern.ts";
export { patternTable } from "./patterns/lock-file.ts";
export type { AssertPatternsOptions, CheckPatternsOptions } from "./patterns/pattern-options.ts";
export type { PlanSummary } from "./patterns/plan-summary.ts";
export { type EntityFactory, entityFactory } from "./entity-factory.ts";
export type { ConformanceCase } from "./conformance/tables/storage-case.ts";
export type { ConformanceRunner, ConformanceSkip } from "./conformance/conformance-runner.ts";
export { describeQueues, type DescribeQueuesOptions, queueCases } from "./conformance/describe-queues.ts";
export type { QueueCase } from "./conformance/queues/queue-case.ts";
export {
  conformanceCases,
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
export type {
  FaultedQueueRequest,
  FaultyQueues,
  QueueFaultLog,
  QueueFaultPlan,
  QueueRequestType,
} from "./faults/faulty-queues.ts";
export type { FaultLog, FaultyStorage } from "./faults/faulty-storage.ts";
export type { LogOfFaults } from "./faults/planned-faults.ts";
export { withFaults } from "./faults/with-faults.ts";
export { type ManualClock, manualClock } from "./manual-clock.ts";
export { type VirtualClock, virtualClock } from "./virtual-clock.ts";
export { appends, type AppendsOptions, type StoredLists } from "./simulation/checks/appends.ts";
export { atomicGroups } from "./simulation/checks/atomic-groups.ts";
export { invariant, type PartitionInvariant } from "./simulation/checks/invariant.ts";
export { type InitialValues, linearizable } from "./simulation/checks/linearizable.ts";
export { nothingStuck, type NothingStuckOptions } from "./simulation/checks/nothing-stuck.ts";
export { nothingLost, type NothingLostOptions } from "./simulation/checks/nothing-lost.ts";
export { outcomes, type OutcomesOptions } from "./simulation/checks/outcomes.ts";
export {
  type CheckOfRun,
  type Finding,
  type NamedCheck,
  type SimulatedRun,
  type SimulationCheck,
  whenComplete,
} from "./simulation/checks/simulation-check.ts";
export { sessions, type SessionsOptions } from "./simulation/checks/sessions.ts";
export { takenOnce } from "./simulation/checks/taken-once.ts";
export type {
  ClockChange,
  FailedStep,
  Journal,
  JournalEntry,
  Observation,
  ObservedType,
  ReportedResult,
  RequestOutcome,
  StartedSave,
} from "./simulation/history/journal.ts";
export type {
  ListOperation,
  Observe,
  ObservedClaims,
  ObservedCounter,
  ObservedLists,
  ObservedRegister,
  ObservedSet,
} from "./simulation/history/observe.ts";
export {
  type ActorStep,
  type ActorTools,
  type Scenario,
  scenario,
  type SimulatedRandom,
} from "./simulation/scenario.ts";
export { simulate } from "./simulation/simulate.ts";
export type { SimulationReport } from "./simulation/simulation-report.ts";
export type {
  SimulatedClock,
  SimulatedFaults,
  SimulatedStore,
  SimulateOptions,
  SimulationProgress,
} from "./simulation/simulate-options.ts";
export { SimulationError } from "./simulation/simulation-error.ts";
export { defineStress, type StressDefinition, type StressOverrides } from "./stress/define-stress.ts";
export { StressError } from "./stress/stress-error.ts";
export type { StressLoad, StressOptions, StressRate } from "./stress/stress-options.ts";
export { stressPartition } from "./stress/stress-partition.ts";
export type { StressFigures, StressProgress, StressReport, StressStep } from "./stress/stress-report.ts";
export { checkRelease } from "./release/check-release.ts";
export type { CheckReleaseOptions, ReleaseValues } from "./release/check-release-options.ts";
export type {
  ReleaseAct,
  ReleaseClass,
  ReleaseFinding,
  ReleaseName,
  ReleaseProperty,
  ReleaseReport,
  SeenStatus,
} from "./release/release-report.ts";
export { describeRelease } from "./release/report/describe-release.ts";
export { compareModels } from "./release/compare/compare-models.ts";
export type { ChangeSeverity, ModelChange } from "./release/compare/model-change.ts";
export { snapshotModel } from "./release/snapshot/snapshot-model.ts";
export type {
  ChangeSnapshot,
  ClassSnapshot,
  EmbeddedSnapshot,
  IndexSnapshot,
  KeyPartSnapshot,
  KeySnapshot,
  KindSnapshot,
  ListSnapshot,
  ModelSnapshot,
  PropertySnapshot,
  SettingsSnapshot,
  ShapeSnapshot,
  StepSnapshot,
  TypeSnapshot,
  VersionSnapshot,
} from "./release/snapshot/model-snapshot.ts";
