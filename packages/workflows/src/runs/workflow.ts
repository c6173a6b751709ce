import type { TableContext, TableStorage } from "@partita/core";
import type { QueueStorage } from "@partita/queues";
import type { RunState } from "../delivery/work-event.ts";

/** What a step knows of itself. */
export interface StepInfo {
  /** The same each time that this step of this run is done: for what is outside, to recognize that it was done before. */
  readonly id: string;
  /** Aborted when the message of the run is no longer surely held, or when the worker stops. */
  readonly signal: AbortSignal;
}

/** How a step is done. */
export interface StepOptions {
  /**
   * Attempts, after which the step has failed; default that of the workflow. A process that ends in an attempt, or shortly before it,
   * has made one. 1 for what must not be tried again.
   */
  readonly attempts?: number | undefined;
}

/**
 * What a workflow does its work by. Steps come one after another, in the same order each time: what is between them is
 * done again whenever the run goes on, and has to lead to the same steps.
 */
export interface WorkflowStep {
  /**
   * Does a step and records its output: at least once until it is recorded, and never again afterwards. A step that fails
   * ends this delivery of the run, without a word to the workflow, and is done again in the next one. When its last attempt
   * fails, it throws in the workflow, which may catch that and do other steps, such as those that undo what was done.
   *
   * @param work - is given a new context over the worker's storage, and saves what it changes. What it returns is recorded
   *   as JSON; an entity comes back as its properties
   * @throws WorkflowError `workflow.step-failed` after the last attempt: `details` has the code and message of its error.
   *   Other errors, such as `workflow.changed` and `workflow.parallel-steps`, end the delivery, and the workflow does not see them
   */
  run<Output>(
    name: string,
    work: (context: TableContext, info: StepInfo) => Promise<Output> | Output,
    options?: StepOptions,
  ): Promise<Output>;
  /**
   * Goes on after so many milliseconds, or later. The message is released meanwhile: no worker waits.
   *
   * @throws WorkflowError `workflow.changed`; OptionError `workflow.option`
   */
  sleep(name: string, ms: number): Promise<void>;
  /** Aborted when the message of the run is no longer surely held, or when the worker stops. */
  readonly signal: AbortSignal;
}

/** How a workflow is delivered. */
export interface WorkflowOptions {
  /** Its queue; by default the workflow's name in kebab case. Tasks and workflows may share one. */
  readonly queue?: string | undefined;
  /** Attempts of each step, after which it has failed, and the run where the workflow does not catch that; default 5. */
  readonly attempts?: number | undefined;
}

/** How one run is started. */
export interface StartOptions {
  /** Names the run: there is one of each id, however often it is started. By default a random one. */
  readonly id?: string | undefined;
  /** How long it waits before it begins, in milliseconds: 0 (default) to 7 days. */
  readonly visibleAfterMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A run that was asked for. */
export interface StartedRun {
  readonly id: string;
  /**
   * What was found under the id, where the storage was given: a run that is there already was not started again. Absent,
   * a message was sent.
   */
  readonly found?: RunState;
}

/** Queues, and the tables in which a worker records runs. */
export interface RunPlaces {
  readonly storage: TableStorage;
  readonly queues: QueueStorage;
}

/** Work in recorded steps, which goes on where it was when its process ended. */
export interface Workflow<in Input> {
  readonly name: string;
  readonly queue: string;
  readonly attempts: number;
  readonly handler: (step: WorkflowStep, input: Input) => Promise<unknown>;
  /**
   * Puts a message, by which a worker runs the workflow. A second start under the same id does nothing: the first input
   * counts, and a worker removes the message, with an event `duplicate`. Given the storage too, a run that is there is
   * reported, and no message is sent.
   *
   * @throws WorkflowError `workflow.not-json`; StorageError `queue.text-too-large`
   */
  start(to: QueueStorage | RunPlaces, input: Input, options?: StartOptions): Promise<StartedRun>;
  /**
   * Lets a failed run go on: its recorded steps stay recorded, and the others have all their attempts again.
   *
   * @throws WorkflowError `workflow.not-found`, `workflow.not-failed`
   */
  retry(places: RunPlaces, id: string): Promise<void>;
}

/** Any workflow, whatever its input is. */
export type AnyWorkflow = Workflow<never>;
