import { checkQueueName } from "@partita/queues";
import { WorkflowError } from "../errors/workflow-error.ts";

/** Maximum length of the name of a task, workflow or step. Names are parts of messages and keys. */
const longestName = 200;

/** @throws WorkflowError `workflow.name` */
export function checkName(what: string, name: string): string {
  if (typeof name === "string" && name !== "" && name.length <= longestName && name.isWellFormed())
    return name;
  throw new WorkflowError(
    "workflow.name",
    `The name of a ${what} must be a text of 1 to ${longestName} characters, as in define${what === "task" ? "Task" : "Workflow"}("shipOrder", …).`,
  );
}

/** Whether a value is a valid id of a task or run. Ids are parts of keys and messages. */
export const isId = (value: unknown): boolean =>
  typeof value === "string" && value !== "" && value.length <= longestName && value.isWellFormed();

/**
 * The queue of a task or workflow: the given one, or its name in kebab case.
 *
 * @throws WorkflowError `workflow.name` if the name gives no valid queue name; StorageError `queue.name`
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
    `"${name.slice(0, 60)}" gives no valid queue name: a queue name has 3 to ${longestOwn} lower-case letters, digits and hyphens. Set one: { queue: "orders" }.`,
    { name },
  );
}

const poisonSuffix = "-poison";

/** Queue names have at most 63 characters, and the poison queue's name is longer. */
const longestOwn = 63 - poisonSuffix.length;

function checkedWithPoison(queue: string): string {
  checkQueueName(queue);
  checkQueueName(poisonQueueOf(queue));
  return queue;
}

/** The queue of messages that cannot be processed. */
export const poisonQueueOf = (queue: string): string => `${queue}${poisonSuffix}`;
