import { type ContextOptions, TableContext, type TableStorage } from "@partita/core";
import {
  aFunction,
  checkArgument,
  type CheckOptions,
  defineOptions,
  wholeNumber,
} from "@partita/core/internal";
import type { HeldDelivery, Release } from "../delivery/work.ts";
import type { WorkEvent } from "../delivery/work-event.ts";
import { exhausted, type Failure, failureOf, stepFailed } from "../errors/workflow-errors.ts";
import { WorkflowError } from "../errors/workflow-error.ts";
import { jsonText } from "../messages/json-text.ts";
import { checkName } from "../messages/queue-of.ts";
import type { Recording } from "./recording.ts";
import { joinedValue, mostSteps, type SplitText, splitText, type StepRecord } from "./run-rows.ts";
import { traceStep } from "./trace-step.ts";
import type { StepInfo, StepOptions, WorkflowStep } from "./workflow.ts";

/** The services for executing steps. */
export interface ReplaySource {
  readonly storage: TableStorage;
  readonly contextOptions: ContextOptions;
  readonly recording: Recording;
  readonly delivery: HeldDelivery;
  /** Default attempts of a step. */
  readonly attempts: number;
  readonly now: () => number;
  readonly report: (event: WorkEvent) => void;
}

/** Longest time of a single release of a message. Source: learn.microsoft.com "Update Message". */
const longestReleaseMs = 7 * 24 * 60 * 60 * 1000;

const checkStep: CheckOptions = defineOptions<StepOptions>(
  "step.run(name, work, options)",
  { attempts: wholeNumber(1) },
  "workflow.option",
);

type StepWork<Output> = (context: TableContext, info: StepInfo) => Promise<Output> | Output;

/** A step that failed for the last time: the error for the workflow, and the error of its work. */
interface CaughtFailure extends Failure {
  readonly n: number;
  readonly name: string;
  /** The error that the workflow catches. */
  readonly thrown: WorkflowError;
  readonly reason: unknown;
}

/**
 * The steps of one delivery of a run. Recorded steps return their recorded results or errors, and the others
 * are executed. A failure with attempts left ends the delivery without notifying the workflow. The last
 * failure is thrown in the workflow. It is recorded once the workflow continues after it, so a run whose
 * workflow does not catch it can be retried.
 */
export class Replay implements WorkflowStep {
  readonly #source: ReplaySource;
  readonly #sleeping = Promise.withResolvers<Release>();
  readonly #ended = Promise.withResolvers<never>();
  /** Number of the last requested step. */
  #n = 0;
  #isBusy = false;
  /** Resolves when the current or last step has ended. */
  #last: Promise<unknown> = Promise.resolve();
  /** The error that ends this delivery. */
  #error: { readonly error: unknown } | undefined;
  /** The last failure thrown in the workflow, until it is recorded. */
  #failure: CaughtFailure | undefined;
  /** All failures thrown in the workflow. */
  readonly #thrown = new Set<unknown>();

  constructor(source: ReplaySource) {
    this.#source = source;
    // The caller of the delivery handles it.
    this.#ended.promise.catch(ignore);
  }

  get signal(): AbortSignal {
    return this.#source.delivery.signal;
  }

  /** Resolves when a sleep releases the message. Rejects when a step ends the delivery. */
  get over(): Promise<Release> {
    return Promise.race([this.#sleeping.promise, this.#ended.promise]);
  }

  run<Output>(name: string, work: StepWork<Output>, options: StepOptions = {}): Promise<Output> {
    return this.#inTurn(name, (n) => this.#runStep(n, name, work, options));
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
        this.#recorded(n, name, "sleep") ?? (await recording.recordStep({ n, name, type: "sleep", until }));
      const leftMs = (step.until?.getTime() ?? 0) - now();
      if (leftMs <= 0) return;
      // A delivery that arrived before the end of the sleep does not count as an attempt.
      await recording.change(({ attempts }) => attempts === 0, { attempts: 0 });
      this.#sleeping.resolve({ againAfterMs: Math.min(Math.ceil(leftMs), longestReleaseMs) });
      await never();
    });
  }

  /** Waits for a step that the workflow did not await. */
  async settled(): Promise<void> {
    if (this.#isBusy) await Promise.race([this.#last, this.#sleeping.promise]);
  }

  /** Ends the run. Checks that the workflow requested every recorded step, and awaited each. */
  async end(): Promise<void> {
    if (this.#isBusy)
      throw new WorkflowError(
        "workflow.parallel-steps",
        `The workflow ended while its step ${this.#n} was running. Write await before each step.`,
      );
    if (this.#error !== undefined) throw this.#error.error;
    await this.#recordFailure();
    if (this.#source.recording.hasStepsAfter(this.#n))
      throw changed(this.#n + 1, "the workflow ends before it", this.#source.recording.step(this.#n + 1));
  }

  /**
   * Whether a workflow ended with the failure of a step that is not retried, thrown directly or as a cause.
   */
  isFinal(error: unknown): boolean {
    const cause = (error as { readonly cause?: unknown } | null | undefined)?.cause;
    return this.#thrown.has(error) || (cause !== undefined && this.isFinal(cause));
  }

  /** The error of the step's work, if the workflow ended with the failure of the step. */
  reasonOf(error: unknown): unknown {
    return this.#failure?.thrown === error ? this.#failure?.reason : error;
  }

  /**
   * Counts steps in the order of their requests. A step that ends the delivery never returns to the workflow,
   * so the workflow cannot react to an error that will be retried. The exception is another step waiting for
   * it, which must end.
   */
  #inTurn<Result>(name: string, work: (n: number) => Promise<Result>): Promise<Result> {
    const isAlone = !this.#isBusy;
    const turn = this.#next(name, work, isAlone);
    const ended = turn.then(ignore, ignore);
    if (isAlone) this.#last = ended;
    const result = turn.catch((error: unknown) => {
      if (isAlone && !this.#thrown.has(error)) return never();
      throw error;
    });
    // A step that is not awaited must not end the process. end() reports it.
    result.catch(ignore);
    return result;
  }

  async #next<Result>(name: string, work: (n: number) => Promise<Result>, isAlone: boolean): Promise<Result> {
    if (this.#error !== undefined) throw this.#error.error;
    try {
      if (!isAlone) throw parallelSteps();
      this.#isBusy = true;
      await this.#recordFailure();
      return await work(this.#number(name));
    } catch (error) {
      if (!this.#thrown.has(error)) this.#end(error);
      throw error;
    } finally {
      if (isAlone) this.#isBusy = false;
    }
  }

  #end(error: unknown): void {
    this.#error ??= { error };
    this.#ended.reject(error);
  }

  /** Records a failure that the workflow caught. */
  async #recordFailure(): Promise<void> {
    if (this.#failure === undefined) return;
    const { n, name, errorCode, error } = this.#failure;
    await this.#source.recording.recordStep({ n, name, type: "run", errorCode, error });
    this.#failure = undefined;
  }

  #number(name: string): number {
    checkName("step", name);
    if (this.#n >= mostSteps)
      throw new WorkflowError(
        "workflow.too-many-steps",
        `A run has at most ${mostSteps} steps. Start another workflow in a step.`,
      );
    return ++this.#n;
  }

  /** @throws WorkflowError `workflow.changed` */
  #recorded(n: number, name: string, type: "run" | "sleep"): StepRecord | undefined {
    const step = this.#source.recording.step(n);
    if (step !== undefined && (step.name !== name || step.type !== type))
      throw changed(
        n,
        `the workflow requests ${type === "run" ? "a step" : "a sleep"} named ${quoted(name)}`,
        step,
      );
    return step;
  }

  async #runStep<Output>(
    n: number,
    name: string,
    work: StepWork<Output>,
    options: StepOptions,
  ): Promise<Output> {
    checkArgument("step.run(name, work)", work, aFunction, "workflow.option");
    checkStep(options);
    const recorded = this.#recorded(n, name, "run");
    if (recorded?.error !== undefined) {
      const thrown = stepFailed(n, name, { errorCode: recorded.errorCode, error: recorded.error });
      this.#thrown.add(thrown);
      throw thrown;
    }
    const step = recorded ?? (await this.#doStep(n, name, work, options));
    return joinedValue(step.output, step.outputRest) as Output;
  }

  async #doStep<Output>(
    n: number,
    name: string,
    work: StepWork<Output>,
    options: StepOptions,
  ): Promise<StepRecord> {
    const { recording, report, now } = this.#source;
    const { attempts: limit = this.#source.attempts } = options;
    recording.checkHeld();
    this.signal.throwIfAborted();
    // A delivery that has recorded a step does not count as an attempt of the next one yet, so a process that
    // ends in it would not be counted.
    if (options.attempts !== undefined) await recording.change((row) => row.attempts > 0, { attempts: 1 });
    const { workflow, run: id } = recording.row;
    const attempts = Math.max(1, recording.row.attempts);
    // The process ended in each attempt, or before the last failure was recorded.
    if (attempts > limit) throw this.#failed(n, name, this.#lastError(attempts - 1));
    const from = now();
    let printed: SplitText;
    try {
      printed = await this.#outputOf(n, name, work);
    } catch (error) {
      if (this.#error !== undefined || this.signal.aborted || isLeaseLost(error)) throw error;
      throw attempts < limit ? error : this.#failed(n, name, error);
    }
    const { text: output, rest: outputRest } = printed;
    const step = await recording.recordStep({ n, name, type: "run", output, outputRest });
    report({ type: "step", workflow, id, step: name, n, durationMs: now() - from });
    return step;
  }

  /** The error of a step that is not retried, for the workflow. */
  #failed(n: number, name: string, reason: unknown): WorkflowError {
    const failure = failureOf(reason);
    const thrown = stepFailed(n, name, failure);
    this.#failure = { n, name, ...failure, thrown, reason };
    this.#thrown.add(thrown);
    return thrown;
  }

  /** The last attempt's error, if it is known. */
  #lastError(attempts: number): unknown {
    const { workflow, errorCode, error } = this.#source.recording.row;
    if (error === undefined) return exhausted(workflow, attempts);
    return Object.assign(new Error(error), errorCode !== undefined && { code: errorCode });
  }

  /** Executes a step. Returns its output in recorded form. */
  async #outputOf<Output>(n: number, name: string, work: StepWork<Output>): Promise<SplitText> {
    const { recording } = this.#source;
    const { workflow, run: id } = recording.row;
    let returned: Output;
    recording.beginWork();
    try {
      returned = await traceStep({ workflow, id, step: name, n }, () => this.#work(n, work));
    } finally {
      const writing = recording.endWork();
      if (writing !== undefined) await writing;
    }
    const what = `The output of step ${quoted(name)}`;
    return splitText(returned === undefined ? undefined : jsonText(returned, what), what);
  }

  async #work<Output>(n: number, work: StepWork<Output>): Promise<Output> {
    const { storage, contextOptions, recording, delivery } = this.#source;
    const { workflow, run } = recording.row;
    await using context = new TableContext(storage, contextOptions);
    let output: Output;
    try {
      output = await work(context, { id: `${workflow}/${run}/${n}`, signal: this.signal });
    } catch (error) {
      // A write that is still in flight would interfere with the next attempt.
      await resolveAll(context, delivery.lost).catch(ignore);
      discardAll(context);
      throw error;
    }
    // Nothing was read or saved, as in most steps that call other services.
    if (context.size === 0) return output;
    await resolveAll(context, delivery.lost);
    const unsaved = context.pendingChanges().length;
    if (unsaved === 0) return output;
    discardAll(context);
    throw new WorkflowError(
      "workflow.unsaved-changes",
      `The step ended with ${unsaved} unsaved changes in its context. Write await context.saveChanges() at its end, or discard() them.`,
      { unsaved },
    );
  }
}

/** Waits until no request of a context can arrive any more. */
const resolveAll = (context: TableContext, signal: AbortSignal): Promise<unknown> =>
  context.resolveInDoubt({ wait: true, signal });

/** The error reports the loss, so the context need not warn about it too. */
function discardAll(context: TableContext): void {
  try {
    context.clear({ discard: true });
  } catch {
    // A save that was not awaited. Its entities stay.
  }
}

const parallelSteps = (): WorkflowError =>
  new WorkflowError(
    "workflow.parallel-steps",
    "A step was requested while another one was running, so their order could differ next time. Await each step before the next one.",
  );

const quoted = (name: string): string => JSON.stringify(name.slice(0, 80));

const changed = (n: number, now: string, recorded: StepRecord | undefined): WorkflowError =>
  new WorkflowError(
    "workflow.changed",
    `Step ${n} of the run is recorded as ${recorded === undefined ? "another one" : quoted(recorded.name)}, but ${now}. Don't change the steps of a workflow with unfinished runs: give the changed workflow another name, or undo the change and retry the run.`,
    { n, recorded: recorded?.name },
  );

const isLeaseLost = (error: unknown): boolean =>
  (error as { readonly code?: unknown } | undefined)?.code === "workflow.lease-lost";

/** For a workflow that another delivery continues. */
const never = (): Promise<never> => new Promise(() => undefined);

const ignore = (): void => undefined;
