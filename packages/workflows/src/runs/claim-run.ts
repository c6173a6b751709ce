import type { HeldDelivery } from "../delivery/work.ts";
import { WorkflowError } from "../errors/workflow-error.ts";
import { jsonText } from "../messages/json-text.ts";
import type { WorkflowMessage } from "../messages/message-text.ts";
import { insertRun, isOvertaken, readRow, readSteps, type RunStore, type StoredRun } from "./run-record.ts";
import { RunRow, splitText } from "./run-rows.ts";
import type { RunState } from "../delivery/work-event.ts";

/** A delivered message of a run. */
export interface RunDelivery {
  readonly store: RunStore;
  readonly message: WorkflowMessage;
  readonly delivery: HeldDelivery;
}

/**
 * The result of a claim: the run, which now belongs to this delivery, or the reason why there is nothing to
 * do.
 */
export type Claimed = StoredRun | { readonly found: RunState; readonly version?: string };

/** Attempts to claim a row. More than one is needed only while other workers write it. */
const mostTries = 8;

/**
 * Claims a run for this delivery: inserts its row, or counts the delivery in an existing row. Either write
 * gives the row a version that only this delivery has, so an earlier delivery cannot record any more.
 */
export async function claimRun(run: RunDelivery): Promise<Claimed> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await claimOnce(run);
    } catch (error) {
      if (!isOvertaken(error) || attempt === mostTries) throw error;
    }
  }
}

async function claimOnce({ store, message, delivery }: RunDelivery): Promise<Claimed> {
  const key = { workflow: message.workflow, run: message.id };
  const { lost } = delivery;
  const stored = await readRow(store, key, lost);
  if (stored === undefined) return insertRun(store, firstRow(store, message, delivery), lost);
  const { row, context } = stored;
  const isOwnRetry = message.retry !== undefined && message.retry !== row.retry;
  if (row.state === "done" || (row.state === "failed" && !isOwnRetry)) return { found: row.state };
  if (row.state === "failed") {
    Object.assign(row, { state: "running", retry: message.retry, attempts: 0, endedAt: undefined });
    row.owner = delivery.messageId;
  } else if (row.owner !== delivery.messageId) {
    const { etag } = context.entry(row);
    // A run that makes no progress may have lost its message. The message of another start takes over.
    if (etag === undefined || message.seen !== etag)
      return { found: "running", ...(etag && { version: etag }) };
    row.owner = delivery.messageId;
  }
  const run = await readSteps(stored, lost);
  row.delivery = delivery.deliveries;
  row.attempts++;
  await context.saveChanges({ signal: lost });
  return run;
}

function firstRow(
  { clock }: RunStore,
  message: WorkflowMessage,
  { messageId, deliveries }: HeldDelivery,
): RunRow {
  const { workflow, id, input } = message;
  if (message.retry !== undefined || message.seen !== undefined)
    throw new WorkflowError(
      "workflow.message",
      `The message continues a run of workflow "${workflow}" that is not stored. Start it again.`,
    );
  const what = `The input of workflow "${workflow}"`;
  const { text, rest } = splitText(input === undefined ? undefined : jsonText(input, what), what);
  return new RunRow({
    workflow,
    run: id,
    state: "running",
    owner: messageId,
    delivery: deliveries,
    attempts: 1,
    steps: 0,
    startedAt: new Date(clock.now()),
    ...(text !== undefined && { input: text }),
    ...(rest !== undefined && { inputRest: rest }),
  });
}
