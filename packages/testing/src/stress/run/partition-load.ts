import { TableContext } from "@partita/core";
import type { Clock } from "@partita/core/storage";
import { noRetry, type RetryPolicy } from "@partita/core/rest";
import { noteError, type ObservedPartition, observeWork } from "./observe-work.ts";
import type { StressLoad } from "../stress-options.ts";
import type { WorkRecord } from "./work-record.ts";

/** Work that was asked of the partition and is under way. */
export class PartitionLoad {
  readonly #partition: ObservedPartition;
  readonly #loads: readonly StressLoad[];
  readonly #clock: Clock;
  readonly #concurrency: number;
  #underWay = 0;
  #count = 0;

  constructor(
    partition: ObservedPartition,
    { load, clock, concurrency }: { load: readonly StressLoad[]; clock: Clock; concurrency: number },
  ) {
    this.#partition = partition;
    this.#loads = load;
    this.#clock = clock;
    this.#concurrency = concurrency;
  }

  /** Begins a call, unless all places are taken; never throws, and nobody waits for it. */
  begin(record: WorkRecord, sinceBegin: () => number): void {
    if (this.#underWay >= this.#concurrency) return;
    record.begunMs = sinceBegin();
    this.#underWay++;
    const end = (): void => {
      this.#underWay--;
      record.endedMs = sinceBegin();
    };
    void this.run(record, noRetry)
      .catch(() => undefined)
      .finally(end);
  }

  /** Does a call, and saves what it left unsaved. @throws what it threw, which its record says, too */
  async run(record: WorkRecord, retry?: RetryPolicy): Promise<void> {
    const storage = observeWork(this.#partition, record);
    const context = new TableContext(storage, { clock: this.#clock, ...(retry && { retry }) });
    try {
      await this.#loads[record.load]?.run(context, ++this.#count);
      if (context.pendingChanges().length > 0) await context.saveChanges();
      record.isDone = true;
    } catch (error) {
      // An error of no request is one of the load itself.
      if (record.busy + record.failed + record.otherErrors === 0) noteError(record, error);
      throw error;
    }
  }
}
