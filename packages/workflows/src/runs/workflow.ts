import type { TableContext, TableStorage } from "@partita/core";
import type { QueueStorage } from "@partita/queues";
import type { RunState } from "../delivery/work-event.ts";

/** The attributes of a step for its work. */
export interface StepInfo {
  /** The same in each execution of this step in this run. Pass it to other services as an idempotency key. */
  readonly id: string;
  /** Aborted when the worker may have lost its lease on the run's message, or stops. */
  readonly signal: AbortSignal;
}

/** Options of a step. */
export interface StepOptions {
  /**
   * Attempts before the step has failed. Defaults to that of the workflow. A process that ends during an
   * attempt, or shortly before it, also uses one. Set 1 for work that must not be retried.
   */
  readonly attempts?: number | undefined;
}

/**
 * Executes the steps of a workflow, one after another. The code between steps runs again whenever the run
 * continues, so it must always request the same steps in the same order.
 */
export interface WorkflowStep {
  /**
   * Executes a step and records its output. It executes at least once until it is recorded, and never again
   * afterwards. A step that fails ends this delivery of the run without notifying the workflow, and is
   * executed again in the next one. When its last attempt fails, it throws in the workflow, which may catch
   * the error and run other steps, for example to undo earlier ones.
   *
   * @param work - receives a new context over the worker's storage, and saves its own changes. Its result is
   * recorded as JSON, so an entity is returned as its properties
   * @throws WorkflowError `workflow.step-failed` after the last attempt; `details` has the code and message
   * of its error. Other errors, such as `workflow.changed` and `workflow.parallel-steps`, end the delivery
   * without notifying the workflow
   */
  run<Output>(
    name: string,
    work: (context: TableContext, info: StepInfo) => Promise<Output> | Output,
    options?: StepOptions,
  ): Promise<Output>;
  /**
   * Continues after this many milliseconds or later. The message is released meanwhile, so no worker waits.
   *
   * @throws WorkflowError `workflow.changed`; OptionError `workflow.option`
   */
  sleep(name: string, ms: number): Promise<void>;
  /** Aborted when the worker may have lost its lease on the run's message, or stops. */
  readonly signal: AbortSignal;
}

/** Delivery options of a workflow. */
export interface WorkflowOptions {
  /** Its queue. By default the workflow's name in kebab case. Tasks and workflows may share a queue. */
  readonly queue?: string | undefined;
  /**
   * Attempts of each step before it has failed. If the workflow does not catch the failure, the run has
   * failed too. Default 5.
   */
  readonly attempts?: number | undefined;
}

/** Options for starting a run. */
export interface StartOptions {
  /** Identifies the run: each id has one run, no matter how often it is started. By default a random id. */
  readonly id?: string | undefined;
  /** Delay before it starts, in milliseconds: 0 (default) to 7 days. */
  readonly visibleAfterMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A requested run. */
export interface StartedRun {
  readonly id: string;
  /**
   * The state of an existing run with this id, which was not started again. Only if the storage was given.
   * Absent if a message was sent.
   */
  readonly found?: RunState;
}

/** Queues, and the storage for a worker's runs. */
export interface RunPlaces {
  readonly storage: TableStorage;
  readonly queues: QueueStorage;
}

/** Work in recorded steps. It continues where it stopped if its process ends. */
export interface Workflow<in Input> {
  readonly name: string;
  readonly queue: string;
  readonly attempts: number;
  readonly handler: (step: WorkflowStep, input: Input) => Promise<unknown>;
  /**
   * Puts a message to have a worker run the workflow. A second start with the same id has no effect: the
   * first input counts, and a worker removes the message with an event `duplicate`. If you also pass the
   * storage, an existing run is reported and no message is sent.
   *
   * @throws WorkflowError `workflow.not-json`; StorageError `queue.text-too-large`
   */
  start(to: QueueStorage | RunPlaces, input: Input, options?: StartOptions): Promise<StartedRun>;
  /**
   * Continues a failed run. Its recorded steps stay recorded, and the others have all of their attempts
   * again.
   *
   * @throws WorkflowError `workflow.not-found`, `workflow.not-failed`
   */
  retry(places: RunPlaces, id: string): Promise<void>;
}

/** A workflow with any input. */
export type AnyWorkflow = Workflow<never>;
