import type { StoredEntity } from "@partita/core/storage";
import type { PartitionRange, Survey } from "./survey.ts";
import { TimeHistogram } from "./time-histogram.ts";

const maxRanges = 160;
const maxLargest = 16;
const maxMoments = 48;

/** A partition while its rows are counted. */
interface Partition {
  readonly partitionKey: string;
  rows: number;
  readonly times: TimeHistogram;
}

/**
 * Counts the distribution of rows over partitions and their write times, in memory that does not grow with
 * the table. Rows arrive partition by partition.
 */
export class SurveyBuilder {
  #rows = 0;
  #partitions = 0;
  #current: Partition | undefined;
  #largest: Partition[] = [];
  #ranges: PartitionRange[] = [];
  /** Partitions of one range. It doubles whenever there are too many ranges. */
  #perRange = 1;

  add({ PartitionKey: partitionKey, Timestamp }: Pick<StoredEntity, "PartitionKey" | "Timestamp">): void {
    if (this.#current?.partitionKey !== partitionKey) {
      this.#endPartition();
      this.#current = { partitionKey, rows: 0, times: new TimeHistogram() };
    }
    this.#rows++;
    this.#current.rows++;
    const time = Timestamp === undefined ? Number.NaN : Date.parse(Timestamp);
    if (!Number.isNaN(time)) this.#current.times.add(time);
  }

  /** The counts so far. */
  finish(): Survey {
    this.#endPartition();
    const times = this.#largest.map((each) => each.times);
    const moments = TimeHistogram.columns(times, maxMoments);
    return {
      rows: this.#rows,
      partitions: this.#partitions,
      ranges: this.#ranges,
      largest: this.#largest.map(({ partitionKey, rows, times: own }) => ({
        partitionKey,
        rows,
        written: own.counts(moments),
      })),
      moments: moments.map((time) => new Date(time).toISOString()),
    };
  }

  #endPartition(): void {
    const ended = this.#current;
    if (ended === undefined) return;
    this.#current = undefined;
    this.#partitions++;
    this.#largest = [...this.#largest, ended].toSorted((a, b) => b.rows - a.rows).slice(0, maxLargest);
    this.#addRange({ from: ended.partitionKey, to: ended.partitionKey, partitions: 1, rows: ended.rows });
  }

  #addRange(added: PartitionRange): void {
    const last = this.#ranges.at(-1);
    if (last !== undefined && last.partitions < this.#perRange)
      this.#ranges.splice(-1, 1, joined(last, added));
    else this.#ranges.push(added);
    if (this.#ranges.length <= maxRanges) return;
    this.#perRange *= 2;
    this.#ranges = this.#ranges.flatMap((range, i) => {
      const next = this.#ranges[i + 1];
      if (i % 2 === 1) return [];
      return [next === undefined ? range : joined(range, next)];
    });
  }
}

const joined = (a: PartitionRange, b: PartitionRange): PartitionRange => ({
  from: a.from,
  to: b.to,
  partitions: a.partitions + b.partitions,
  rows: a.rows + b.rows,
});
