import type { Fault } from "../../faults/fault.ts";
import type {
  ClockChange,
  FailedStep,
  Journal,
  JournalEntry,
  Observation,
  OpenEntry,
  ReportedResult,
  StartedSave,
} from "../history/journal.ts";

/** Records a run while it is in progress. */
export class RunRecord {
  readonly entries: OpenEntry[] = [];
  readonly saves: StartedSave[] = [];
  readonly results: ReportedResult[] = [];
  readonly observations: Observation[] = [];
  readonly failedSteps: FailedStep[] = [];
  readonly clocks: ClockChange[] = [];
  /** IDs of events in order. */
  readonly schedule: string[] = [];
  /** Stopped actors, with the number of requests they had sent. */
  readonly stops: Map<string, number> = new Map();
  /** Changes that are in doubt even at the end. */
  readonly stuck: string[] = [];
  /** Whether no actor stopped and no step was skipped. */
  isComplete = true;
  #executed: JournalEntry[] = [];
  #contexts = 0;
  #entities = 0;

  get journal(): Journal {
    const { entries, saves, results, observations, failedSteps, clocks } = this;
    return { entries, saves, results, observations, failedSteps, clocks };
  }

  /** Requests with planned faults. */
  get faults(): Map<string, Fault> {
    return new Map(this.entries.flatMap(({ id, fault }) => (fault === undefined ? [] : [[id, fault]])));
  }

  readonly nextContext = (): number => ++this.#contexts;
  readonly nextEntity = (): number => ++this.#entities;
  /** @returns the number of the save */
  readonly startSave = (save: Omit<StartedSave, "number">): number =>
    this.saves.push({ ...save, number: this.saves.length + 1 });
  readonly executed = (entry: JournalEntry): void => void this.#executed.push(entry);

  /** Returns the writes that the store has applied since the last call. */
  takeApplied(): JournalEntry[] {
    const applied = this.#executed.filter(({ outcome }) => outcome === "applied");
    this.#executed = [];
    return applied;
  }

  /** The history starts with the actors. */
  clear(): void {
    this.entries.length = 0;
    this.#executed = [];
  }
}
