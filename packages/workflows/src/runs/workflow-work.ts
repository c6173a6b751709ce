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
import { isOvertaken, isOwn, readRun, type StoredRun } from "./run-record.ts";
import { joinedValue, type RunRow, splitText } from "./run-rows.ts";
import type { AnyWorkflow, WorkflowStep } from "./workflow.ts";

/** The handler of a workflow of any input. */
type AnyHandler = (step: WorkflowStep, input: unknown) => Promise<unknown>;

/** Understands messages that belong to runs of these workflows. */
export const dispatchWorkflows =
  (workflows: ReadonlyMap<string, AnyWorkflow>): Dispatch =>
  (message, scope) => {
    if (!("workflow" in message)) return undefined;
    const workflow = workflows.get(message.workflow);
    if (workflow === undefined) throw unknownName("workflow", message.workflow);
    checkMessage(message);
    return Promise.resolve(new WorkflowWork(workflow, message, scope));
  };

/** @throws WorkflowError `workflow.message` for what another program sent, and no delivery can begin */
function checkMessage({ workflow, id, retry, input }: WorkflowMessage): void {
  try {
    if (!isId(id) || (retry !== undefined && !isId(retry))) throw new TypeError("An id is too long.");
    checkKey(workflow, id);
    const what = "The input";
    splitText(input === undefined ? undefined : jsonText(input, what), what);
  } catch (cause) {
    throw new WorkflowError(
      "workflow.message",
      `The message of workflow "${workflow}" has an id or an input that start() does not send. Send it by start().`,
      { workflow },
      { cause },
    );
  }
}

/** How many visibility times a second message of a run waits before it looks again. */
const duplicateWaits = 10;

/** One delivery of a run. */
class WorkflowWork implements Work {
  readonly kind = "workflow";
  readonly name: string;
  readonly id: string;
  readonly #workflow: AnyWorkflow;
  readonly #message: WorkflowMessage;
  readonly #scope: DispatchScope;
  /** Those of the run, this delivery included, since a step was recorded last; 0 until it is this delivery's. */
  #attempts = 0;
  /** Whether a step that is not tried again has ended the run. */
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
    // The run has its input; a retry stays one.
    const { input: _, ...rest } = message;
    const againAfterMs = duplicateWaits * delivery.visibilityMs;
    return { againAfterMs, text: printMessage({ ...rest, seen: version }) };
  }

  async #goOn(stored: StoredRun, delivery: HeldDelivery): Promise<Release | void> {
    const recording = new Recording(this.#scope, delivery, stored);
    try {
      this.#attempts = stored.row.attempts;
      // Failures that a workflow catches end, too, where its process always does before they are recorded.
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

  /** The run has failed: its message is in the poison queue. */
  async abandon(error: unknown, delivery: HeldDelivery): Promise<void> {
    const key = { workflow: this.name, run: this.id };
    for (let attempt = 1; ; attempt++) {
      const stored = await readRun(this.#scope, key, delivery.lost);
      // Nothing is stored of it where its first row could not be: the message in the poison queue has it all.
      // Another delivery's run goes on.
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

/** A worker that stopped made no attempt. */
const endedEarly = ({ attempts }: RunRow): Partial<RunRow> => ({ attempts: Math.max(0, attempts - 1) });

const ignore = (): void => undefined;
