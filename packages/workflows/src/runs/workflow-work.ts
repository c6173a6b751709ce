import type { Dispatch, DispatchScope, HeldDelivery, Release, Work } from "../delivery/work.ts";
import { exhausted, failureOf, unknownName } from "../errors/workflow-errors.ts";
import { WorkflowError } from "../errors/workflow-error.ts";
import { jsonText } from "../messages/json-text.ts";
import { printMessage, type WorkflowMessage } from "../messages/message-text.ts";
import { isId } from "../messages/queue-of.ts";
import { checkKey } from "./start-run.ts";
import { claimRun } from "./claim-run.ts";
import { Recording } from "./recording.ts";
import { Replay } from "./replay.ts";
import { isOvertaken, isOwn, readRow, type StoredRun } from "./run-record.ts";
import { joinedValue, type RunRow, splitText } from "./run-rows.ts";
import type { AnyWorkflow, WorkflowStep } from "./workflow.ts";

/** The handler of a workflow with any input. */
type AnyHandler = (step: WorkflowStep, input: unknown) => Promise<unknown>;

/** Handles messages of runs of these workflows. */
export const dispatchWorkflows =
  (workflows: ReadonlyMap<string, AnyWorkflow>): Dispatch =>
  (message, scope) => {
    if (!("workflow" in message)) return undefined;
    const workflow = workflows.get(message.workflow);
    if (workflow === undefined) throw unknownName("workflow", message.workflow);
    checkMessage(message);
    return Promise.resolve(new WorkflowWork(workflow, message, scope));
  };

/** @throws WorkflowError `workflow.message` for an invalid message of another program */
function checkMessage({ workflow, id, retry, input }: WorkflowMessage): void {
  try {
    if (!isId(id) || (retry !== undefined && !isId(retry))) throw new TypeError("An id is too long.");
    checkKey(workflow, id);
    const what = "The input";
    splitText(input === undefined ? undefined : jsonText(input, what), what);
  } catch (cause) {
    throw new WorkflowError(
      "workflow.message",
      `The message of workflow "${workflow}" has an id or an input that start() does not send. Send it with start().`,
      { workflow },
      { cause },
    );
  }
}

/** Number of visibility timeouts that a second message of a run waits before it checks again. */
const duplicateWaits = 10;

/** One delivery of a run. */
class WorkflowWork implements Work {
  readonly kind = "workflow";
  readonly name: string;
  readonly id: string;
  readonly #workflow: AnyWorkflow;
  readonly #message: WorkflowMessage;
  readonly #scope: DispatchScope;
  /**
   * Deliveries of the run since the last recorded step, including this one. 0 until the run belongs to this
   * delivery.
   */
  #attempts = 0;
  /** Whether a step that is not retried has ended the run. */
  #isFinal = false;

  constructor(workflow: AnyWorkflow, message: WorkflowMessage, scope: DispatchScope) {
    this.name = workflow.name;
    this.id = message.id;
    this.#workflow = workflow;
    this.#message = message;
    this.#scope = scope;
  }

  isExhausted(): boolean {
    return this.#isFinal || this.#attempts >= this.#workflow.attempts;
  }

  failures({ deliveries }: HeldDelivery): number {
    return this.#attempts || deliveries;
  }

  async run(delivery: HeldDelivery): Promise<Release | void> {
    const message = this.#message;
    const claimed = await claimRun({ store: this.#scope, message, delivery });
    if ("row" in claimed) return this.#goOn(claimed, delivery);
    const { found, version } = claimed;
    this.#scope.report({ type: "duplicate", workflow: this.name, id: this.id, found });
    if (version === undefined) return undefined;
    // The run already has its input. A retry stays a retry.
    const { input: _, ...rest } = message;
    const againAfterMs = duplicateWaits * delivery.visibilityMs;
    return { againAfterMs, text: printMessage({ ...rest, seen: version }) };
  }

  async #goOn(stored: StoredRun, delivery: HeldDelivery): Promise<Release | void> {
    const recording = new Recording(this.#scope, delivery, stored);
    try {
      this.#attempts = stored.row.attempts;
      // Also ends runs whose workflow catches failures, if the process always ends before they are recorded.
      if (this.#attempts > 2 * this.#workflow.attempts) throw exhausted(this.name, this.#attempts - 1);
      return await this.#replay(recording, delivery);
    } catch (error) {
      this.#attempts = Math.max(1, recording.row.attempts);
      const failed = { ...failureOf(error), attempts: this.#attempts };
      const changes = delivery.signal.aborted ? endedEarly(recording.row) : failed;
      await recording.change(() => false, changes).catch(ignore);
      throw error;
    } finally {
      recording.end();
    }
  }

  async #replay(recording: Recording, delivery: HeldDelivery): Promise<Release | void> {
    const { storage, clock, contextOptionsFor, report } = this.#scope;
    const { input: inputText, inputRest } = recording.row;
    const input = joinedValue(inputText, inputRest);
    const replay = new Replay({
      storage,
      contextOptions: contextOptionsFor(input, this.name),
      recording,
      delivery,
      attempts: this.#workflow.attempts,
      now: () => clock.now(),
      report,
    });
    const handler = this.#workflow.handler as AnyHandler;
    const done = (async () => handler(replay, input))();
    let ended: { readonly output: unknown } | Release;
    try {
      ended = await Promise.race([done.then((output) => ({ output })), replay.over]);
      if (!("output" in ended)) return ended;
      await replay.end();
    } catch (error) {
      this.#isFinal = replay.isFinal(error);
      throw replay.reasonOf(error);
    } finally {
      await replay.settled();
    }
    const what = `The output of workflow "${this.name}"`;
    const { text, rest } = splitText(
      ended.output === undefined ? undefined : jsonText(ended.output, what),
      what,
    );
    await recording.change(({ state }) => state === "done", {
      state: "done",
      attempts: 0,
      errorCode: undefined,
      error: undefined,
      endedAt: new Date(clock.now()),
      ...(text !== undefined && { output: text }),
      ...(rest !== undefined && { outputRest: rest }),
    });
    return undefined;
  }

  /** The run has failed, and its message is in the poison queue. */
  async abandon(error: unknown, delivery: HeldDelivery): Promise<void> {
    const key = { workflow: this.name, run: this.id };
    for (let attempt = 1; ; attempt++) {
      const stored = await readRow(this.#scope, key, delivery.lost);
      // If the first row could not be stored, there is nothing to mark: the message in the poison queue has
      // all data. A run of another delivery continues.
      if (stored === undefined || stored.row.state !== "running" || !isOwn(stored, delivery)) return;
      Object.assign(stored.row, failureOf(error), {
        state: "failed",
        endedAt: new Date(this.#scope.clock.now()),
      });
      try {
        await stored.context.saveChanges({ signal: delivery.lost });
        return;
      } catch (cause) {
        if (!isOvertaken(cause) || attempt === 5) throw cause;
      }
    }
  }
}

/** A delivery that a stopping worker ended does not count as an attempt. */
const endedEarly = ({ attempts }: RunRow): Partial<RunRow> => ({ attempts: Math.max(0, attempts - 1) });

const ignore = (): void => undefined;
