import { type ContextOptions, TableContext, type TableStorage } from "@partita/core";
import { checkArgument, wholeNumber } from "@partita/core/protocol";
import type { HeldDelivery, Release } from "../delivery/work.ts";
import type { WorkEvent } from "../delivery/work-event.ts";
import { WorkflowError } from "../errors/workflow-error.ts";
import { jsonText } from "../messages/json-text.ts";
import { checkName } from "../messages/queue-of.ts";
import type { Recording } from "./recording.ts";
import { joinedValue, mostSteps, type StepRecord, splitText } from "./run-rows.ts";
import { traceStep } from "./trace-step.ts";
import type { StepInfo, WorkflowStep } from "./workflow.ts";

/** What steps are done with. */
export interface ReplaySource {
  readonly storage: TableStorage;
  readonly contextOptions: ContextOptions;
  readonly recording: Recording;
  readonly delivery: HeldDelivery;
  readonly now: () => number;
  readonly report: (event: WorkEvent) => void;
}

/** Longest time for which a message is released at once. Source: learn.microsoft.com "Update Message". */
const longestReleaseMs = 7 * 24 * 60 * 60 * 1000;

type StepWork<Output> = (context: TableContext, info: StepInfo) => Promise<Output> | Output;

/** The steps of one delivery of a run: those that are recorded return what they returned, the others are done. */
export class Replay implements WorkflowStep {
  readonly #source: ReplaySource;
  readonly #sleeping = Promise.withResolvers<Release>();
  /** Number of the last step that was asked for. */
  #n = 0;
  #isBusy = false;
  /** Resolves when the step that is being done, or was done last, has ended. */
  #last: Promise<unknown> = Promise.resolve();
  #failure: { readonly error: unknown } | undefined;

  constructor(source: ReplaySource) {
    this.#source = source;
  }

  get signal(): AbortSignal {
    return this.#source.delivery.signal;
  }

  /** Resolves when a sleep releases the message. */
  get sleeping(): Promise<Release> {
    return this.#sleeping.promise;
  }

  run<Output>(name: string, work: StepWork<Output>): Promise<Output> {
    return this.#inTurn(name, (n) => this.#runStep(n, name, work));
  }

  sleep(name: string, ms: number): Promise<void> {
    return this.#inTurn(name, async (n) => {
      checkArgument(
        "step.sleep(name, ms)",
        ms,
        { ...wholeNumber(0), takes: "whole milliseconds" },
        "workflow.option",
      );
      const { recording, now } = this.#source;
      const until = new Date(now() + ms);
      const step =
        this.#recorded(n, name, "sleep") ??
        (await recording.recordStep({
          n,
          name,
          type: "sleep",
          until,
          output: undefined,
          outputRest: undefined,
        }));
      const leftMs = (step.until?.getTime() ?? 0) - now();
      if (leftMs <= 0) return;
      // A delivery that only found that it is not time yet is no attempt.
      await recording.change(({ attempts }) => attempts === 0, { attempts: 0 });
      this.#sleeping.resolve({ againAfterMs: Math.min(Math.ceil(leftMs), longestReleaseMs) });
      await new Promise<never>(() => undefined);
    });
  }

  /** Waits for a step that the workflow did not wait for. */
  async settled(): Promise<void> {
    if (this.#isBusy) await Promise.race([this.#last, this.#sleeping.promise]);
  }

  /** Ends the delivery: checks that the workflow asked for every step that is recorded, and waited for each. */
  checkEnd(): void {
    if (this.#isBusy)
      throw new WorkflowError(
        "workflow.parallel-steps",
        `The workflow ended while its step ${this.#n} was being done. Write await before each step.`,
      );
    if (this.#failure !== undefined) throw this.#failure.error;
    if (this.#source.recording.hasStepsAfter(this.#n))
      throw changed(this.#n + 1, "the workflow ends before it", this.#source.recording.step(this.#n + 1));
  }

  /** Steps are counted in the order in which they are asked for; after one that failed, there is none in this delivery. */
  #inTurn<Result>(name: string, work: (n: number) => Promise<Result>): Promise<Result> {
    const isAlone = !this.#isBusy;
    const turn = this.#next(name, work, isAlone);
    // Whoever does not wait for a step must not end the process by it: checkEnd() finds it.
    const ended = turn.then(ignore, ignore);
    if (isAlone) this.#last = ended;
    return turn;
  }

  async #next<Result>(name: string, work: (n: number) => Promise<Result>, isAlone: boolean): Promise<Result> {
    if (this.#failure !== undefined) throw this.#failure.error;
    try {
      if (!isAlone) throw parallelSteps();
      this.#isBusy = true;
      return await work(this.#number(name));
    } catch (error) {
      throw this.#failed(error);
    } finally {
      if (isAlone) this.#isBusy = false;
    }
  }

  #number(name: string): number {
    checkName("step", name);
    if (this.#n >= mostSteps)
      throw new WorkflowError(
        "workflow.too-many-steps",
        `A run has ${mostSteps} steps at most. Start another workflow in a step.`,
      );
    return ++this.#n;
  }

  #failed(error: unknown): unknown {
    this.#failure ??= { error };
    return error;
  }

  /** @throws WorkflowError `workflow.changed` */
  #recorded(n: number, name: string, type: "run" | "sleep"): StepRecord | undefined {
    const step = this.#source.recording.step(n);
    if (step !== undefined && (step.name !== name || step.type !== type))
      throw changed(
        n,
        `the workflow asks for ${type === "run" ? "a step" : "a sleep"} named ${quoted(name)}`,
        step,
      );
    return step;
  }

  async #runStep<Output>(n: number, name: string, work: StepWork<Output>): Promise<Output> {
    if (typeof work !== "function")
      throw new WorkflowError(
        "workflow.option",
        "step.run(name, work) takes a function as its second argument.",
      );
    const step = this.#recorded(n, name, "run") ?? (await this.#doStep(n, name, work));
    return joinedValue(step.output, step.outputRest) as Output;
  }

  async #doStep<Output>(n: number, name: string, work: StepWork<Output>): Promise<StepRecord> {
    const { recording, report, now } = this.#source;
    const { workflow, run: id } = recording.row;
    recording.checkHeld();
    this.signal.throwIfAborted();
    const from = now();
    let returned: Output;
    recording.beginWork();
    try {
      returned = await traceStep({ workflow, id, step: name, n }, () => this.#work(n, work));
    } finally {
      const writing = recording.endWork();
      if (writing !== undefined) await writing;
    }
    const what = `The output of step ${quoted(name)}`;
    const text = returned === undefined ? undefined : jsonText(returned, what);
    const { text: output, rest: outputRest } = splitText(text, what);
    const step = await recording.recordStep({ n, name, type: "run", until: undefined, output, outputRest });
    report({ type: "step", workflow, id, step: name, n, durationMs: now() - from });
    return step;
  }

  async #work<Output>(n: number, work: StepWork<Output>): Promise<Output> {
    const { storage, contextOptions, recording, delivery } = this.#source;
    const { workflow, run } = recording.row;
    await using context = new TableContext(storage, contextOptions);
    let output: Output;
    try {
      output = await work(context, { id: `${workflow}/${run}/${n}`, signal: this.signal });
    } catch (error) {
      // What may yet be stored would come between the writes of the next attempt.
      await resolveAll(context, delivery.lost).catch(ignore);
      discardAll(context);
      throw error;
    }
    // Nothing was read or saved: most steps of a workflow that calls others.
    if (context.size === 0) return output;
    await resolveAll(context, delivery.lost);
    const unsaved = context.pendingChanges().length;
    if (unsaved === 0) return output;
    discardAll(context);
    throw new WorkflowError(
      "workflow.unsaved-changes",
      `The step ended with ${unsaved} changes in its context that are not saved. Write await context.saveChanges() at its end, or discard() them.`,
      { unsaved },
    );
  }
}

/** Waits until nothing that a context sent can still arrive. */
const resolveAll = (context: TableContext, signal: AbortSignal): Promise<unknown> =>
  context.resolveInDoubt({ wait: true, signal });

/** The error says what is lost; the context need not warn of it, too. */
function discardAll(context: TableContext): void {
  try {
    context.clear({ discard: true });
  } catch {
    // A save that nobody waited for: its entities stay.
  }
}

const parallelSteps = (): WorkflowError =>
  new WorkflowError(
    "workflow.parallel-steps",
    "A step was asked for while another one was being done, so that their order could be another one the next time. Await each step before the next one.",
  );

const quoted = (name: string): string => JSON.stringify(name.slice(0, 80));

const changed = (n: number, now: string, recorded: StepRecord | undefined): WorkflowError =>
  new WorkflowError(
    "workflow.changed",
    `Step ${n} of the run is recorded as ${recorded === undefined ? "another one" : quoted(recorded.name)}, but ${now}. A workflow with runs under way keeps its steps: give a changed one another name, or change it back and retry the run.`,
    { n, recorded: recorded?.name },
  );

const ignore = (): void => undefined;
