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

/** What a worker does, and by what. */
export interface WorkerOptions {
  /** Where runs are recorded, and what the contexts of steps are over. */
  readonly storage: TableStorage;
  readonly queues: QueueStorage;
  readonly tasks?: readonly AnyTask[] | undefined;
  readonly workflows?: readonly AnyWorkflow[] | undefined;
  /**
   * How long a message is invisible to other workers after this one ended without a word, in milliseconds: 1,000 to 7 days;
   * default 30,000. It is renewed while its work is done, so that work may take longer.
   */
  readonly visibilityMs?: number | undefined;
  /** Messages of each queue that are handled at once; default 1. */
  readonly concurrency?: number | undefined;
  /** Stops the worker. */
  readonly signal?: AbortSignal | undefined;
  /** Called for what happens, for metrics and logs. What it throws does not stop the worker. */
  readonly onEvent?: ((event: WorkerEvent) => unknown) | undefined;
  /** How long failed work waits; its `attempts` do not count, those of the task or workflow do. Default `exponential()`. */
  readonly retry?: RetryPolicy | undefined;
  /** The time, and waiting for it; the system's when absent. */
  readonly clock?: Clock | undefined;
  /** Settings of the contexts that steps are given. */
  readonly context?: ContextOptions | undefined;
  /**
   * The scope of the contexts of a run's steps, by its input: `(input) => ({ tenant: (input as Shipment).tenant })`. What it
   * throws is an error of the delivery. Handlers of tasks make their own contexts.
   */
  readonly scope?: ((input: unknown, workflow: string) => ContextOptions["scope"]) | undefined;
}

const has = (name: string): ((value: unknown) => boolean) => {
  return (value) => typeof (value as Record<string, unknown> | null)?.[name] === "function";
};

const definitions = <Definition>(made: string): ReturnType<typeof accepted<readonly Definition[]>> =>
  accepted(`a list of what ${made} returned`, (value) => Array.isArray(value) && value.every(isDefinition));

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

/** @throws OptionError `workflow.option`; WorkflowError `workflow.name` for two of one name, and for none at all */
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
        `Two ${kind}s of one worker are named ${JSON.stringify(name)}: it could not say which one a message means.`,
        { name },
      );
    seen.add(name);
  }
}
