/** The distribution of a table's rows over partitions, and the times of their last writes. */
export interface Survey {
  readonly rows: number;
  readonly partitions: number;
  /** Ranges of neighbouring partitions, in key order. */
  readonly ranges: readonly PartitionRange[];
  /** The largest partitions, the largest first. */
  readonly largest: readonly PartitionSize[];
  /** The starts of equal intervals of time, as ISO 8601. Each row was last written in one of them. */
  readonly moments: readonly string[];
}

/** Neighbouring partitions. */
export interface PartitionRange {
  readonly from: string;
  readonly to: string;
  readonly partitions: number;
  readonly rows: number;
}

/** One partition. */
interface PartitionSize {
  readonly partitionKey: string;
  readonly rows: number;
  /** The number of its rows that were last written in each interval of the survey. */
  readonly written: readonly number[];
}
