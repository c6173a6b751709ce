// The front door: tasks and workflows, and the worker that does them.

export type { Delivery } from "./delivery/work.ts";
export { WorkflowError } from "./errors/workflow-error.ts";
export {
  type AnyTask,
  defineTask,
  type SendOptions,
  type Task,
  type TaskOptions,
} from "./tasks/define-task.ts";
export { outbox, type Outbox, type OutboxSendOptions } from "./outbox/outbox.ts";
