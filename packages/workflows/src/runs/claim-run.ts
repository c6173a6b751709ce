import type { HeldDelivery } from "../delivery/work.ts";
import { WorkflowError } from "../errors/workflow-error.ts";
import { jsonText } from "../messages/json-text.ts";
import type { WorkflowMessage } from "../messages/message-text.ts";
import { insertRun, isOvertaken, readRun, type RunStore, type StoredRun } from "./run-record.ts";
import { RunRow, splitText } from "./run-rows.ts";
import type { RunState } from "../delivery/work-event.ts";

/** A message of a run, delivered. */
export interface RunDelivery {
  readonly store: RunStore;
  readonly message: WorkflowMessage;
  readonly delivery: HeldDelivery;
}

/** What a message finds: a run that is now its own, or why there is nothing to do for it. */
export type Claimed = StoredRun | { readonly found: RunState; readonly version?: string };

/** Tries until a row is ours: more are needed only while others write it. */
const mostTries = 8;

/**
 * Makes a run the work of this delivery: stores its row where there is none, else counts the delivery in it. Either gives
 * the row a version that only this delivery knows, so that an earlier delivery records nothing any more.
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
  const stored = await readRun(store, key, lost);
  if (stored === undefined) return insertRun(store, firstRow(store, message, delivery), lost);
  const { row, context } = stored;
  const isOwnRetry = message.retry !== undefined && message.retry !== row.retry;
  if (row.state === "done" || (row.state === "failed" && !isOwnRetry)) return { found: row.state };
  if (row.state === "failed") {
    Object.assign(row, { state: "running", retry: message.retry, attempts: 0, endedAt: undefined });
    row.owner = delivery.messageId;
  } else if (row.owner !== delivery.messageId) {
    const { etag } = context.entry(row);
    // A run whose row stands still may have lost its message: that of another start takes its place.
    if (etag === undefined || message.seen !== etag)
      return { found: "running", ...(etag && { version: etag }) };
    row.owner = delivery.messageId;
  }
  row.delivery = delivery.deliveries;
  row.attempts++;
  await context.saveChanges({ signal: lost });
  return stored;
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
      `The message goes on with a run of workflow "${workflow}" that is not stored. Start it again.`,
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
