import { aFunction, checkArgument } from "@partita/core/internal";
import type { QueueStorage } from "@partita/queues";
import { definitionCheck } from "../messages/option-checks.ts";
import { checkName, queueOf } from "../messages/queue-of.ts";
import { retryRun, startRun } from "./start-run.ts";
import type { RunPlaces, StartOptions, Workflow, WorkflowOptions, WorkflowStep } from "./workflow.ts";

const checkWorkflow = definitionCheck("defineWorkflow(name, handler, options)");

/**
 * Declares a workflow: a name, and a function with recorded steps. Whenever a run continues, a worker calls
 * the function from its start, and recorded steps return their recorded results.
 *
 * @throws WorkflowError `workflow.name`; StorageError `queue.name`; OptionError `workflow.option`
 */
export function defineWorkflow<Input = undefined>(
  name: string,
  handler: (step: WorkflowStep, input: Input) => Promise<unknown>,
  options: WorkflowOptions = {},
): Workflow<Input> {
  checkName("workflow", name);
  checkArgument("defineWorkflow(name, handler)", handler, aFunction, "workflow.option");
  checkWorkflow(options);
  const target = { name, queue: queueOf(name, options.queue) };
  return Object.freeze({
    ...target,
    attempts: options.attempts ?? 5,
    handler,
    start: (to: QueueStorage | RunPlaces, input: Input, starting: StartOptions = {}) =>
      startRun(target, to, input, starting),
    retry: (places: RunPlaces, id: string) => retryRun(target, places, id),
  });
}
