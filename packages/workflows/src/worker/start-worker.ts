import { checkCopy } from "@partita/core/internal";
import { exponential, systemClock } from "@partita/core/rest";
import { dispatchOutbox } from "../outbox/dispatch-outbox.ts";
import { dispatchWorkflows } from "../runs/workflow-work.ts";
import { dispatchTask } from "../tasks/task-work.ts";
import type { HandlingSource } from "./message-handling.ts";
import { QueueLoop } from "./queue-loop.ts";
import { reporter } from "./report.ts";
import { checkWorker, type WorkerOptions } from "./worker-options.ts";

/** Receives messages and does their work, until it is stopped. */
export interface Worker extends AsyncDisposable {
  /** Resolves when the worker has stopped. Never rejects: failures are reported by events. */
  readonly stopped: Promise<void>;
  /**
   * Receives no more messages, aborts the signals of handlers, and waits for them to end. Messages with
   * unfinished work are released immediately.
   */
  stop(): Promise<void>;
  /**
   * Resolves when no message is being processed and all queues of the worker were found empty since the call;
   * or when the worker has stopped. Invisible messages, such as that of a sleeping run, do not count.
   */
  idle(): Promise<void>;
}

/**
 * Starts a worker. For each queue of its tasks and workflows, it receives messages and does their work at
 * least once. Any number of workers may share queues, and each may be killed at any time.
 *
 * @throws OptionError `workflow.option`; WorkflowError `workflow.name`, `workflow.option`; StateError
 * `package.second-copy`
 */
export function startWorker(options: WorkerOptions): Worker {
  checkWorker(options);
  checkCopy(options.storage, "The storage");
  checkCopy(options.queues, "The storage of queues");
  const { tasks = [], workflows = [], concurrency = 1, signal, clock = systemClock } = options;
  const stop = new AbortController();
  const source: HandlingSource = {
    storage: options.storage,
    queues: options.queues,
    clock,
    visibilityMs: options.visibilityMs ?? 30_000,
    retry: options.retry ?? exponential(),
    tasks: new Map(tasks.map((task) => [task.name, task])),
    dispatchers: [
      dispatchTask,
      dispatchWorkflows(new Map(workflows.map((one) => [one.name, one]))),
      dispatchOutbox,
    ],
    contextOptionsFor: (input, workflow) => ({
      clock,
      ...options.context,
      ...(options.scope !== undefined && { scope: options.scope(input, workflow) }),
    }),
    report: reporter(options.onEvent),
    stopping: signal === undefined ? stop.signal : AbortSignal.any([stop.signal, signal]),
  };
  const names = new Set([...tasks, ...workflows].map(({ queue }) => queue));
  const loops = [...names].map((queue) => new QueueLoop(source, queue, concurrency));
  const stopped = Promise.all(loops.map(({ ended }) => ended)).then(() => undefined);
  const stopAll = (): Promise<void> => {
    stop.abort();
    return stopped;
  };
  return {
    stopped,
    stop: stopAll,
    idle: () => allEmpty(loops, source.stopping),
    [Symbol.asyncDispose]: stopAll,
  };
}

/** Work of one queue may send messages to another, so all queues must be found empty in a row. */
async function allEmpty(loops: readonly QueueLoop[], stopping: AbortSignal): Promise<void> {
  const received = (): number => loops.reduce((sum, loop) => sum + loop.received, 0);
  for (;;) {
    const before = received();
    await Promise.all(loops.map((loop) => loop.foundEmpty()));
    if (received() === before || stopping.aborted) return;
  }
}
