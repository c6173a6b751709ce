import type { HeldDelivery } from "../delivery/work.ts";
import { WorkflowError } from "../errors/workflow-error.ts";
import { recordInOneRequest, type RunVersion } from "./record-in-one-request.ts";
import { isOvertaken, isOwn, readRun, type RunKey, type RunStore, type StoredRun } from "./run-record.ts";
import { type StepRecord, type RunRow, StepRow } from "./run-rows.ts";

/** A step to record. */
export type NewStep = Pick<StepRecord, "n" | "name" | "type"> & Partial<Omit<StepRecord, "recordedAt">>;

/** Tries of one write: more than one is needed where an answer was lost. */
const mostTries = 8;

/** After how many visibility times a run is written whose step is still being done: a second message waits for ten. */
const signOfLifeAfter = 3;

/** Writes what becomes of a run, for one delivery: nothing once its message is lost. */
export class Recording {
  readonly #store: RunStore;
  readonly #key: RunKey;
  readonly #delivery: HeldDelivery;
  #stored: StoredRun;
  /** Whether the run was written past its context, which then has to be read again before it is saved. */
  #isStale = false;
  /** The version of the run's row; undefined while it is not known. */
  #version: RunVersion | undefined;
  /** Whether a step is being done. */
  #isWorking = false;
  /** The writes that show that it is, from the first step on. */
  #life: Promise<void> | undefined;
  /** The one that is under way: no other write may come between. */
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

  /** Steps with a higher number than this one: none, unless the workflow was changed. */
  hasStepsAfter(n: number): boolean {
    return this.#stored.row.steps > n;
  }

  /** Records a step in one transaction with the run's row; one that is recorded already is returned as it is. */
  async recordStep(step: NewStep): Promise<StepRecord> {
    const { until, output, outputRest, errorCode, error } = step;
    const recordedAt = new Date(this.#store.clock.now());
    const added: StepRecord = { ...step, until, output, outputRest, errorCode, error, recordedAt };
    return (await this.#recordInOneRequest(added)) ? added : this.#recordBySave(added);
  }

  /** False where it is not recorded, or nobody knows. */
  async #recordInOneRequest(step: StepRecord): Promise<boolean> {
    const [version, { row, steps }] = [this.#version, this.#stored];
    // A save clears what an earlier attempt has left in the row, and finds steps that are recorded already.
    const isPlain = row.errorCode === undefined && row.error === undefined && !steps.has(step.n);
    const isOutput = step.until === undefined && step.error === undefined;
    if (version === undefined || !isPlain || !isOutput) return false;
    this.checkHeld();
    [this.#version, this.#isStale] = [undefined, true];
    try {
      const etag = await recordInOneRequest(this.#store.storage, version, step, this.#delivery.lost);
      this.#version = etag === undefined ? undefined : { ...version, etag };
    } catch {
      // It may be stored: a save reads the run first, under whose version it is refused if it comes later.
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
    // A save looks at each entity of its context: at those of this one, a long run would grow slow.
    context.detach(added);
    steps.set(step.n, added);
    return added;
  }

  /** Changes the run's row, unless the change is there already. */
  async change(isThere: (row: RunRow) => boolean, changes: Partial<RunRow>): Promise<void> {
    await this.#write(({ row }) => {
      if (isThere(row)) return false;
      Object.assign(row, changes);
      return true;
    });
  }

  /**
   * Before what may take long. Its run is written now and then until {@link endWork}: a second message of the run, which
   * takes the place of one that was lost, sees that this one was not.
   */
  beginWork(): void {
    this.#life ??= this.#showLife();
    this.#isWorking = true;
  }

  /** @returns the write that is under way: no other may begin before it has ended */
  endWork(): Promise<void> | undefined {
    this.#isWorking = false;
    return this.#writing;
  }

  /** Nothing is done for the run any more. */
  end(): void {
    if (this.#life !== undefined) this.#ended.abort();
  }

  /** One wait after the other for the whole delivery: whatever is made for each step, short steps have to pay for. */
  async #showLife(): Promise<void> {
    const { clock } = this.#store;
    const { visibilityMs, lost } = this.#delivery;
    const isOver = AbortSignal.any([this.#ended.signal, lost]);
    for (;;) {
      await clock.wait(signOfLifeAfter * visibilityMs, isOver);
      if (isOver.aborted) return;
      if (!this.#isWorking) continue;
      // Where it fails, recording the step says why.
      this.#writing = this.#write(touched).catch(ignore);
      await this.#writing;
      this.#writing = undefined;
    }
  }

  /** @param prepare - makes the changes, or returns false where there are none to make */
  async #write(prepare: (stored: StoredRun) => boolean): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      this.checkHeld();
      if (this.#isStale) await this.#readAgain();
      if (!prepare(this.#stored)) return;
      try {
        await this.#stored.context.saveChanges({ batch: "atomic", signal: this.#delivery.lost });
        this.#version = versionOf(this.#stored);
        return;
      } catch (error) {
        // Half a change is not left to the next write.
        [this.#version, this.#isStale] = [undefined, true];
        if (!isOvertaken(error) || attempt === mostTries) throw error;
      }
    }
  }

  /** Our own write may be stored, though its answer is lost; or the run is another delivery's now. */
  async #readAgain(): Promise<void> {
    const stored = await readRun(this.#store, this.#key, this.#delivery.lost, this.#stored.steps);
    if (stored === undefined || !isOwn(stored, this.#delivery)) throw leaseLost();
    this.#stored = stored;
    this.#isStale = false;
    this.#version = versionOf(stored);
  }

  /** @throws WorkflowError `workflow.lease-lost` */
  checkHeld(): void {
    if (!this.#delivery.isHeld) throw leaseLost();
  }
}

function versionOf({ context, row }: StoredRun): RunVersion | undefined {
  const { key, etag } = context.entry(row);
  return key === undefined || etag === undefined ? undefined : { partitionKey: key.partitionKey, etag };
}

/** The run has another version then. */
const touched = ({ context, row }: StoredRun): boolean => {
  context.update(row, "delivery");
  return true;
};

const ignore = (): void => undefined;

/** The run is another delivery's: nothing was recorded. */
const leaseLost = (): WorkflowError =>
  new WorkflowError(
    "workflow.lease-lost",
    "The message of this run is no longer surely held, or another one took its place: nothing was recorded, and the step is done again. Where steps take long, raise visibilityMs.",
  );
