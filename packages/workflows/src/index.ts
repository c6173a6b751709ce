// Tasks and workflows, and the worker that executes them.

export type { RunState, WorkEvent } from "./delivery/work-event.ts";
export type { Delivery } from "./delivery/work.ts";
export { WorkflowError } from "./errors/workflow-error.ts";
export { defineWorkflow } from "./runs/define-workflow.ts";
export { type PurgeOptions, type PurgeReport, purgeRuns } from "./runs/purge-runs.ts";
export type {
  AnyWorkflow,
  RunPlaces,
  StartedRun,
  StartOptions,
  StepInfo,
  StepOptions,
  Workflow,
  WorkflowOptions,
  WorkflowStep,
} from "./runs/workflow.ts";
export { type RecordedStep, type WorkflowStatus, workflowStatus } from "./runs/workflow-status.ts";
export {
  type AnyTask,
  defineTask,
  type SendOptions,
  type Task,
  type TaskOptions,
} from "./tasks/define-task.ts";
export { outbox, type Outbox, type OutboxSendOptions } from "./outbox/outbox.ts";
export { startWorker, type Worker } from "./worker/start-worker.ts";
export type { EventOfMessage, WorkerEvent } from "./worker/worker-event.ts";
export type { WorkerOptions } from "./worker/worker-options.ts";
