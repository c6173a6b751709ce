import { abortSignal, type CheckOptions, defineOptions, wholeNumber } from "@partita/core/internal";
import { systemClock } from "@partita/core/rest";
import { escaped } from "@partita/core/keys";
import type { QueueStorage } from "@partita/queues";
import { WorkflowError } from "../errors/workflow-error.ts";
import { jsonText } from "../messages/json-text.ts";
import { printMessage } from "../messages/message-text.ts";
import { putMessage } from "../messages/put-message.ts";
import { anId } from "../messages/option-checks.ts";
import type { RunPlaces, StartedRun, StartOptions } from "./workflow.ts";
import { readRow } from "./run-record.ts";

/** The name and the queue of a workflow. */
interface Target {
  readonly name: string;
  readonly queue: string;
}

const checkStart: CheckOptions = defineOptions<StartOptions>(
  "start(queues, input, options)",
  {
    id: anId,
    visibleAfterMs: wholeNumber(0),
    signal: abortSignal,
  },
  "workflow.option",
);

/** Sends the message of a run, unless the run exists. */
export async function startRun(
  { name, queue }: Target,
  to: QueueStorage | RunPlaces,
  input: unknown,
  options: StartOptions,
): Promise<StartedRun> {
  checkStart(options);
  const { id = crypto.randomUUID(), visibleAfterMs = 0, signal } = options;
  if (input !== undefined) jsonText(input, `The input of workflow "${name}"`);
  checkKey(name, id);
  if ("storage" in to) {
    const store = { storage: to.storage, clock: systemClock };
    const stored = await readRow(store, { workflow: name, run: id }, signal);
    if (stored !== undefined) return { id, found: stored.row.state };
  }
  const text = printMessage({ partita: 1, workflow: name, id, input });
  const queues = "storage" in to ? to.queues : to;
  await putMessage(queues, queue, text, { visibleAfterMs, ...(signal && { signal }) });
  return { id };
}

/** Characters of a PartitionKey. Source: learn.microsoft.com "Understanding the Table service data model". */
const longestKey = 512;

/** Both are parts of one key, and some characters are escaped. @throws WorkflowError `workflow.name` */
export function checkKey(name: string, id: string): void {
  const key = `${escaped.encode(name)}!${escaped.encode(id)}`;
  if (key.length > longestKey)
    throw new WorkflowError(
      "workflow.name",
      `The workflow's name and this id have ${key.length} characters as a key, more than ${longestKey}. Choose a shorter id.`,
      { workflow: name },
    );
}

/** Sends a message to continue a failed run. The worker that receives it changes the run's state. */
export async function retryRun({ name, queue }: Target, places: RunPlaces, id: string): Promise<void> {
  const { storage, queues } = places;
  const stored = await readRow({ storage, clock: systemClock }, { workflow: name, run: id });
  if (stored === undefined)
    throw new WorkflowError(
      "workflow.not-found",
      `Workflow "${name}" has no run with this id. Start it: start(queues, input, { id }).`,
      { workflow: name, id },
    );
  const { state } = stored.row;
  if (state !== "failed")
    throw new WorkflowError(
      "workflow.not-failed",
      `The run of workflow "${name}" has not failed: it is ${state}. Only failed runs can be retried.`,
      { workflow: name, id, state },
    );
  const retry = crypto.randomUUID();
  await putMessage(queues, queue, printMessage({ partita: 1, workflow: name, id, retry }));
}
