import { checkQueueName } from "@partita/queues";
import { WorkflowError } from "../errors/workflow-error.ts";

/** Longest name of a task, workflow or step: it is a part of messages and keys. */
const longestName = 200;

/** @throws WorkflowError `workflow.name` */
export function checkName(what: string, name: string): string {
  if (typeof name === "string" && name !== "" && name.length <= longestName && name.isWellFormed())
    return name;
  throw new WorkflowError(
    "workflow.name",
    `The name of a ${what} is a text of 1 to ${longestName} characters. Name it as in define${what === "task" ? "Task" : "Workflow"}("shipOrder", …).`,
  );
}

/** Whether a value names a task or run: ids are parts of keys and messages. */
export const isId = (value: unknown): boolean =>
  typeof value === "string" && value !== "" && value.length <= longestName && value.isWellFormed();

/**
 * The queue of a task or workflow: the one that was named, or its own name in kebab case.
 *
 * @throws WorkflowError `workflow.name` where no queue's name can be made of it; StorageError `queue.name`
 */
export function queueOf(name: string, queue: string | undefined): string {
  if (queue !== undefined) return checkedWithPoison(queue);
  const own = name
    .replaceAll(/([a-z0-9])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, "$1$3-$2")
    .replaceAll(/[^A-Za-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "")
    .toLowerCase();
  if (/^[a-z0-9](-?[a-z0-9])+$/.test(own) && own.length >= 3 && own.length <= longestOwn) return own;
  throw new WorkflowError(
    "workflow.name",
    `No queue can be named after "${name.slice(0, 60)}": a queue has 3 to ${longestOwn} letters in lower case, digits and hyphens. Name one: { queue: "orders" }.`,
    { name },
  );
}

const poisonSuffix = "-poison";

/** A queue's name is 63 characters at most, and its poison queue's name is longer. */
const longestOwn = 63 - poisonSuffix.length;

function checkedWithPoison(queue: string): string {
  checkQueueName(queue);
  checkQueueName(poisonQueueOf(queue));
  return queue;
}

/** Where messages go that cannot be handled. */
export const poisonQueueOf = (queue: string): string => `${queue}${poisonSuffix}`;
