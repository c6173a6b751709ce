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

/** What is written down of a run while it goes on. */
export class RunRecord {
  readonly entries: OpenEntry[] = [];
  readonly saves: StartedSave[] = [];
  readonly results: ReportedResult[] = [];
  readonly observations: Observation[] = [];
  readonly failedSteps: FailedStep[] = [];
  readonly clocks: ClockChange[] = [];
  /** Ids of what happened, in order. */
  readonly schedule: string[] = [];
  /** Actors that stopped, with the requests they had sent. */
  readonly stops: Map<string, number> = new Map();
  /** Changes that are in doubt even at the end. */
  readonly stuck: string[] = [];
  /** Whether nobody stopped, and no step was left out. */
  isComplete = true;
  #executed: JournalEntry[] = [];
  #contexts = 0;
  #entities = 0;

  get journal(): Journal {
    const { entries, saves, results, observations, failedSteps, clocks } = this;
    return { entries, saves, results, observations, failedSteps, clocks };
  }

  /** Requests that failed as planned. */
  get faults(): Map<string, Fault> {
    return new Map(this.entries.flatMap(({ id, fault }) => (fault === undefined ? [] : [[id, fault]])));
  }

  readonly nextContext = (): number => ++this.#contexts;
  readonly nextEntity = (): number => ++this.#entities;
  /** @returns the number of the save */
  readonly startSave = (save: Omit<StartedSave, "number">): number =>
    this.saves.push({ ...save, number: this.saves.length + 1 });
  readonly executed = (entry: JournalEntry): void => void this.#executed.push(entry);

  /** Writes that the store has applied since it was asked last. */
  takeApplied(): JournalEntry[] {
    const applied = this.#executed.filter(({ outcome }) => outcome === "applied");
    this.#executed = [];
    return applied;
  }

  /** The history begins with the actors. */
  clear(): void {
    this.entries.length = 0;
    this.#executed = [];
  }
}
