import type { ContextOptions, RetryPolicy, TableStorage } from "@partita/core";
import type { Clock } from "@partita/core/storage";
import {
  abortSignal,
  accepted,
  aClock,
  aFunction,
  aRetryPolicy,
  type CheckOptions,
  defineOptions,
  required,
  wholeNumber,
} from "@partita/core/internal";
import type { QueueStorage } from "@partita/queues";
import { WorkflowError } from "../errors/workflow-error.ts";
import type { AnyWorkflow } from "../runs/workflow.ts";
import type { AnyTask } from "../tasks/define-task.ts";
import type { WorkerEvent } from "./worker-event.ts";

/** Options of a worker. */
export interface WorkerOptions {
  /** The storage for runs, and for the contexts of steps. */
  readonly storage: TableStorage;
  readonly queues: QueueStorage;
  readonly tasks?: readonly AnyTask[] | undefined;
  readonly workflows?: readonly AnyWorkflow[] | undefined;
  /**
   * How long a message stays invisible to other workers if this one crashes, in milliseconds: 1,000 to 7
   * days. Default 30,000. The worker renews it during the work, so work may take longer.
   */
  readonly visibilityMs?: number | undefined;
  /** Messages of each queue to process concurrently. Default 1. */
  readonly concurrency?: number | undefined;
  /** Stops the worker. */
  readonly signal?: AbortSignal | undefined;
  /** Called for each event, for metrics and logs. Its errors do not stop the worker. */
  readonly onEvent?: ((event: WorkerEvent) => unknown) | undefined;
  /**
   * Delays of failed work. Its `attempts` are ignored; those of the task or workflow apply. Default
   * `exponential()`.
   */
  readonly retry?: RetryPolicy | undefined;
  /** The clock for times and delays. Defaults to the system's. */
  readonly clock?: Clock | undefined;
  /** Options of the contexts that steps receive. */
  readonly context?: ContextOptions | undefined;
  /**
   * The scope of the contexts in a run's steps, by its input:
   * `(input) => ({ tenant: (input as Shipment).tenant })`. If it throws, the delivery fails. Handlers of
   * tasks create their own contexts.
   */
  readonly scope?: ((input: unknown, workflow: string) => ContextOptions["scope"]) | undefined;
}

const has = (name: string): ((value: unknown) => boolean) => {
  return (value) => typeof (value as Record<string, unknown> | null)?.[name] === "function";
};

const definitions = <Definition>(made: string): ReturnType<typeof accepted<readonly Definition[]>> =>
  accepted(`a list of results of ${made}`, (value) => Array.isArray(value) && value.every(isDefinition));

const isDefinition = (value: unknown): boolean => {
  const { name, queue, handler } = (value ?? {}) as Partial<AnyTask>;
  return typeof name === "string" && typeof queue === "string" && typeof handler === "function";
};

const check: CheckOptions = defineOptions<WorkerOptions>(
  "startWorker(options)",
  {
    storage: required(accepted('an open storage: await openStorage("file:path.db")', has("transact"))),
    queues: required(accepted("open queues: tableQueues(storage)", has("receive"))),
    tasks: definitions<AnyTask>("defineTask()"),
    workflows: definitions<AnyWorkflow>("defineWorkflow()"),
    visibilityMs: wholeNumber(1_000, 7 * 24 * 60 * 60 * 1000),
    concurrency: wholeNumber(1),
    signal: abortSignal,
    onEvent: aFunction,
    retry: aRetryPolicy,
    clock: aClock,
    context: accepted("options of a context", (value) => typeof value === "object" && value !== null),
    scope: aFunction,
  },
  "workflow.option",
);

/**
 * @throws OptionError `workflow.option`; WorkflowError `workflow.name` for two of the same name, or none at
 * all
 */
export function checkWorker(options: WorkerOptions): void {
  check(options);
  const { tasks = [], workflows = [] } = options;
  if (tasks.length + workflows.length === 0)
    throw new WorkflowError(
      "workflow.option",
      "startWorker(options) needs something to do: { tasks: [shipOrder] } or { workflows: [deleteChannel] }.",
    );
  checkNames("task", tasks);
  checkNames("workflow", workflows);
}

function checkNames(kind: string, all: readonly { readonly name: string }[]): void {
  const seen = new Set<string>();
  for (const { name } of all) {
    if (seen.has(name))
      throw new WorkflowError(
        "workflow.name",
        `Two ${kind}s of one worker are named ${JSON.stringify(name)}, so messages would be ambiguous.`,
        { name },
      );
    seen.add(name);
  }
}
