import type { Delivery, Dispatch, Work } from "../delivery/work.ts";
import { WorkflowError } from "../errors/workflow-error.ts";
import { unknownName } from "../errors/workflow-errors.ts";
import type { AnyTask } from "./define-task.ts";

/** A handler with any payload. */
type AnyHandler = (payload: unknown, delivery: Delivery) => Promise<void> | void;

/** The tasks of a worker, by name. */
export type KnownTasks = ReadonlyMap<string, AnyTask>;

/** Handles messages of these tasks. */
export const dispatchTask: Dispatch = (message, scope) => {
  if (!("task" in message)) return undefined;
  return Promise.resolve(scope.taskWork(message.task, message.id, message.payload));
};

/** @throws WorkflowError `workflow.unknown-name` */
export function taskWork(tasks: KnownTasks, name: string, id: string, payload: unknown): Work {
  const task = tasks.get(name);
  if (task === undefined) throw unknownName("task", name);
  const { handler, attempts } = task;
  return {
    kind: "task",
    name,
    id,
    async run(delivery) {
      // A handler that ends its process never fails, so deliveries are limited too.
      if (delivery.deliveries > attempts) throw exhausted(name, attempts);
      await (handler as AnyHandler)(payload, delivery);
    },
    isExhausted: ({ deliveries }) => deliveries >= attempts,
    failures: ({ deliveries }) => deliveries,
  };
}

const exhausted = (task: string, attempts: number): WorkflowError =>
  new WorkflowError(
    "workflow.exhausted",
    `A message of task "${task}" was delivered ${attempts} times, but its handler never finished: it ends the process, or blocks it for too long. Fix it, and send the message again.`,
    { task, attempts },
  );
