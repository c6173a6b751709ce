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

/** What steps are done with. */
export interface ReplaySource {
  readonly storage: TableStorage;
  readonly contextOptions: ContextOptions;
  readonly recording: Recording;
  readonly delivery: HeldDelivery;
  /** Attempts of a step that says nothing else. */
  readonly attempts: number;
  readonly now: () => number;
  readonly report: (event: WorkEvent) => void;
}

/** Longest time for which a message is released at once. Source: learn.microsoft.com "Update Message". */
const longestReleaseMs = 7 * 24 * 60 * 60 * 1000;

const checkStep: CheckOptions = defineOptions<StepOptions>(
  "step.run(name, work, options)",
  { attempts: wholeNumber(1) },
  "workflow.option",
);

type StepWork<Output> = (context: TableContext, info: StepInfo) => Promise<Output> | Output;

/** A step that failed for the last time: what is thrown in the workflow, and what the work threw. */
interface CaughtFailure extends Failure {
  readonly n: number;
  readonly name: string;
  /** What the workflow catches. */
  readonly thrown: WorkflowError;
  readonly reason: unknown;
}

/**
 * The steps of one delivery of a run: those that are recorded return what they returned, or fail as they failed, and the others
 * are done. A failure that may pass ends the delivery, and the workflow does not see it; the last one is thrown in the workflow. It
 * is recorded once the workflow goes on past it, so that a run whose workflow does not catch it can be retried.
 */
export class Replay implements WorkflowStep {
  readonly #source: ReplaySource;
  readonly #sleeping = Promise.withResolvers<Release>();
  readonly #ended = Promise.withResolvers<never>();
  /** Number of the last step that was asked for. */
  #n = 0;
  #isBusy = false;
  /** Resolves when the step that is being done, or was done last, has ended. */
  #last: Promise<unknown> = Promise.resolve();
  /** What ends this delivery. */
  #error: { readonly error: unknown } | undefined;
  /** The failure that was thrown last in the workflow, until it is recorded. */
  #failure: CaughtFailure | undefined;
  /** Every failure that was thrown in the workflow. */
  readonly #thrown = new Set<unknown>();

  constructor(source: ReplaySource) {
    this.#source = source;
    // Whoever waits for the delivery finds it.
    this.#ended.promise.catch(ignore);
  }

  get signal(): AbortSignal {
    return this.#source.delivery.signal;
  }

  /** Resolves when a sleep releases the message; rejects when a step ends the delivery. */
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
      // A delivery that only found that it is not time yet is no attempt.
      await recording.change(({ attempts }) => attempts === 0, { attempts: 0 });
      this.#sleeping.resolve({ againAfterMs: Math.min(Math.ceil(leftMs), longestReleaseMs) });
      await never();
    });
  }

  /** Waits for a step that the workflow did not wait for. */
  async settled(): Promise<void> {
    if (this.#isBusy) await Promise.race([this.#last, this.#sleeping.promise]);
  }

  /** Ends the run: checks that the workflow asked for every step that is recorded, and waited for each. */
  async end(): Promise<void> {
    if (this.#isBusy)
      throw new WorkflowError(
        "workflow.parallel-steps",
        `The workflow ended while its step ${this.#n} was being done. Write await before each step.`,
      );
    if (this.#error !== undefined) throw this.#error.error;
    await this.#recordFailure();
    if (this.#source.recording.hasStepsAfter(this.#n))
      throw changed(this.#n + 1, "the workflow ends before it", this.#source.recording.step(this.#n + 1));
  }

  /** Whether a workflow ended with the failure of a step that is not tried again, thrown as it is or as a cause. */
  isFinal(error: unknown): boolean {
    const cause = (error as { readonly cause?: unknown } | null | undefined)?.cause;
    return this.#thrown.has(error) || (cause !== undefined && this.isFinal(cause));
  }

  /** What a step threw, where a workflow that ended with its failure knows no more of it. */
  reasonOf(error: unknown): unknown {
    return this.#failure?.thrown === error ? this.#failure?.reason : error;
  }

  /**
   * Steps are counted in the order in which they are asked for. One that ends the delivery never returns to the workflow, so that
   * it does nothing about an error that may pass; unless another step is waiting for it, which has to end.
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
    // Whoever does not wait for a step must not end the process by it: end() finds it.
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
        `A run has ${mostSteps} steps at most. Start another workflow in a step.`,
      );
    return ++this.#n;
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
    // A delivery that has recorded a step counts no attempt of the next one yet: a process that ends in it would have made none.
    if (options.attempts !== undefined) await recording.change((row) => row.attempts > 0, { attempts: 1 });
    const { workflow, run: id } = recording.row;
    const attempts = Math.max(1, recording.row.attempts);
    // The process ended in each attempt, or before the failure of the last one was recorded.
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

  /** The error of a step that is not tried again, as the workflow catches it. */
  #failed(n: number, name: string, reason: unknown): WorkflowError {
    const failure = failureOf(reason);
    const thrown = stepFailed(n, name, failure);
    this.#failure = { n, name, ...failure, thrown, reason };
    this.#thrown.add(thrown);
    return thrown;
  }

  /** What the last attempt failed with, as far as it is known. */
  #lastError(attempts: number): unknown {
    const { workflow, errorCode, error } = this.#source.recording.row;
    if (error === undefined) return exhausted(workflow, attempts);
    return Object.assign(new Error(error), errorCode !== undefined && { code: errorCode });
  }

  /** Does the work of a step. Returns its output as it is recorded. */
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

const isLeaseLost = (error: unknown): boolean =>
  (error as { readonly code?: unknown } | undefined)?.code === "workflow.lease-lost";

/** For a workflow that another delivery goes on with. */
const never = (): Promise<never> => new Promise(() => undefined);

const ignore = (): void => undefined;
