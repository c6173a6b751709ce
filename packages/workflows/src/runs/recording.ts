import type { HeldDelivery } from "../delivery/work.ts";
import { WorkflowError } from "../errors/workflow-error.ts";
import { recordInOneRequest, type RunVersion } from "./record-in-one-request.ts";
import {
  isOvertaken,
  isOwn,
  readRow,
  readSteps,
  type RunKey,
  type RunStore,
  type StoredRow,
  type StoredRun,
} from "./run-record.ts";
import { type StepRecord, type RunRow, StepRow } from "./run-rows.ts";

/** A step to record. */
export type NewStep = Pick<StepRecord, "n" | "name" | "type"> & Partial<Omit<StepRecord, "recordedAt">>;

/** Attempts of one write. More than one is needed after a lost response. */
const mostTries = 8;

/**
 * Number of visibility timeouts after which the run of a long step is written. A second message waits for
 * ten.
 */
const signOfLifeAfter = 3;

/** Writes the changes of a run for one delivery. Writes nothing once its message is lost. */
export class Recording {
  readonly #store: RunStore;
  readonly #key: RunKey;
  readonly #delivery: HeldDelivery;
  #stored: StoredRun;
  /** Whether the run was written outside its context, which must then catch up before a save. */
  #isStale = false;
  /** The version of the run's row. Undefined if unknown. */
  #version: RunVersion | undefined;
  /** Whether a step is running. */
  #isWorking = false;
  /** The periodic writes during long steps, from the first step on. */
  #life: Promise<void> | undefined;
  /** The pending write. No other write may start before it ends. */
  #writing: Promise<void> | undefined;
  readonly #ended = new AbortController();

  constructor(store: RunStore, delivery: HeldDelivery, stored: StoredRun) {
    this.#store = store;
    this.#key = { workflow: stored.row.workflow, run: stored.row.run };
    this.#delivery = delivery;
    this.#stored = stored;
    this.#version = versionOf(stored);
  }

  get row(): RunRow {
    return this.#stored.row;
  }

  step(n: number): StepRecord | undefined {
    return this.#stored.steps.get(n);
  }

  /** Whether steps with a higher number are recorded. That happens only if the workflow was changed. */
  hasStepsAfter(n: number): boolean {
    return this.#stored.row.steps > n;
  }

  /** Records a step in one transaction with the run's row. Returns a step that is already recorded. */
  async recordStep(step: NewStep): Promise<StepRecord> {
    const { until, output, outputRest, errorCode, error } = step;
    const recordedAt = new Date(this.#store.clock.now());
    const added: StepRecord = { ...step, until, output, outputRest, errorCode, error, recordedAt };
    return (await this.#recordInOneRequest(added)) ? added : this.#recordBySave(added);
  }

  /** `false` if it is not recorded or the outcome is unknown. */
  async #recordInOneRequest(step: StepRecord): Promise<boolean> {
    const [version, { row, steps }] = [this.#version, this.#stored];
    // A save clears an earlier attempt's error in the row, and finds steps that are already recorded.
    const isPlain = row.errorCode === undefined && row.error === undefined && !steps.has(step.n);
    const isOutput = step.until === undefined && step.error === undefined;
    if (version === undefined || !isPlain || !isOutput) return false;
    this.checkHeld();
    [this.#version, this.#isStale] = [undefined, true];
    try {
      const etag = await recordInOneRequest(this.#store.storage, version, step, this.#delivery.lost);
      this.#version = etag === undefined ? undefined : { ...version, etag };
    } catch {
      // It may be stored. The save reads the run first, and its version protects against a late arrival.
      return false;
    }
    Object.assign(row, { steps: step.n, attempts: 0 });
    steps.set(step.n, step);
    return true;
  }

  async #recordBySave(step: StepRecord): Promise<StepRecord> {
    let added: StepRow | undefined;
    await this.#write(({ context, row, steps }) => {
      if (steps.has(step.n)) return false;
      Object.assign(row, { steps: step.n, attempts: 0, errorCode: undefined, error: undefined });
      added = context.add(new StepRow({ ...this.#key, ...step }));
      return true;
    });
    if (added === undefined) return this.step(step.n) as StepRecord;
    const { context, steps } = this.#stored;
    // A save visits every entity of its context, so a long run would become slow.
    context.detach(added);
    steps.set(step.n, added);
    return added;
  }

  /** Changes the run's row, unless the change is already stored. */
  async change(isThere: (row: RunRow) => boolean, changes: Partial<RunRow>): Promise<void> {
    await this.#write(({ row }) => {
      if (isThere(row)) return false;
      Object.assign(row, changes);
      return true;
    });
  }

  /**
   * Call this before work that may take long. The run is then written periodically until {@link endWork}, so
   * a second message of the run sees that the first one is not lost.
   */
  beginWork(): void {
    this.#life ??= this.#showLife();
    this.#isWorking = true;
  }

  /** @returns the pending write; no other may start before it ends */
  endWork(): Promise<void> | undefined {
    this.#isWorking = false;
    return this.#writing;
  }

  /** Ends the work on the run. */
  end(): void {
    if (this.#life !== undefined) this.#ended.abort();
  }

  /** One timer for the complete delivery, because a timer for each step would slow down short steps. */
  async #showLife(): Promise<void> {
    const { clock } = this.#store;
    const { visibilityMs, lost } = this.#delivery;
    const isOver = AbortSignal.any([this.#ended.signal, lost]);
    for (;;) {
      await clock.wait(signOfLifeAfter * visibilityMs, isOver);
      if (isOver.aborted) return;
      if (!this.#isWorking) continue;
      // If it fails, recording the step reports the reason.
      this.#writing = this.#write(touched).catch(ignore);
      await this.#writing;
      this.#writing = undefined;
    }
  }

  /** @param prepare - makes the changes, or returns `false` if there are none */
  async #write(prepare: (stored: StoredRun) => boolean): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      this.checkHeld();
      if (this.#isStale) await this.#catchUp();
      if (!prepare(this.#stored)) return;
      try {
        await this.#stored.context.saveChanges({ batch: "atomic", signal: this.#delivery.lost });
        this.#version = versionOf(this.#stored);
        return;
      } catch (error) {
        // Don't leave half a change to the next write.
        [this.#version, this.#isStale] = [undefined, true];
        if (!isOvertaken(error) || attempt === mostTries) throw error;
      }
    }
  }

  /** After writes outside of the context: the row has their values, and their version if no response was lost. */
  async #catchUp(): Promise<void> {
    if (this.#version === undefined) return this.#readAgain();
    const { context, row } = this.#stored;
    context.detach(row);
    context.attach(row, this.#version.etag);
    this.#isStale = false;
  }

  /** Our own write may be stored although its response was lost, or another delivery has the run. */
  async #readAgain(): Promise<void> {
    const { lost } = this.#delivery;
    const stored = await readRow(this.#store, this.#key, lost);
    if (stored === undefined || !isOwn(stored, this.#delivery)) throw leaseLost();
    this.#stored = await readSteps(stored, lost, this.#stored.steps);
    this.#isStale = false;
    this.#version = versionOf(stored);
  }

  /** @throws WorkflowError `workflow.lease-lost` */
  checkHeld(): void {
    if (!this.#delivery.isHeld) throw leaseLost();
  }
}

function versionOf({ context, row }: StoredRow): RunVersion | undefined {
  const { key, etag } = context.entry(row);
  return key === undefined || etag === undefined ? undefined : { partitionKey: key.partitionKey, etag };
}

/** Gives the run a new version. */
const touched = ({ context, row }: StoredRun): boolean => {
  context.update(row, "delivery");
  return true;
};

const ignore = (): void => undefined;

/** Another delivery has the run, so nothing was recorded. */
const leaseLost = (): WorkflowError =>
  new WorkflowError(
    "workflow.lease-lost",
    "The worker lost its lease on the message of this run, or another message took over. Nothing was recorded, and the step is executed again. If steps take long, raise visibilityMs.",
  );
