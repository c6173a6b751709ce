import { TableContext } from "@partita/core";
import type { Clock } from "@partita/core/storage";
import { noRetry, type RetryPolicy } from "@partita/core/rest";
import { noteError, type ObservedPartition, observeWork } from "./observe-work.ts";
import type { StressLoad } from "../stress-options.ts";
import type { WorkRecord } from "./work-record.ts";

/** Work on the partition that is in progress. */
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

  /** Starts a call, unless the concurrency limit is reached. It never throws, and nothing waits for it. */
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

  /** Runs a call, and saves its pending changes. @throws the call's error, which is also recorded */
  async run(record: WorkRecord, retry?: RetryPolicy): Promise<void> {
    const storage = observeWork(this.#partition, record);
    const context = new TableContext(storage, { clock: this.#clock, ...(retry && { retry }) });
    try {
      await this.#loads[record.load]?.run(context, ++this.#count);
      if (context.pendingChanges().length > 0) await context.saveChanges();
      record.isDone = true;
    } catch (error) {
      // An error without a failed request comes from the load itself.
      if (record.busy + record.failed + record.otherErrors === 0) noteError(record, error);
      throw error;
    }
  }
}
