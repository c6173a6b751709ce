/** What became of one call of a load. Times are milliseconds since its step began. */
export interface WorkRecord {
  /** The position of the load in the mix. */
  readonly load: number;
  /** When it was to begin, whatever became of the calls before it. */
  readonly dueMs: number;
  /** Absent where all places were taken. */
  begunMs?: number;
  /** Absent while it is under way. */
  endedMs?: number;
  /** Whether it did all that it was to do. */
  isDone: boolean;
  /** Entities of the partition that were returned or written. */
  entities: number;
  /** Entities of other partitions. */
  elsewhere: number;
  /** The PartitionKey of one of those. */
  otherKey?: string;
  busy: number;
  failed: number;
  otherErrors: number;
  /** The code of the last other error. */
  otherCode?: string;
}

/** A call that is due, and of which nothing is known yet. */
export const workDue = (load: number, dueMs: number): WorkRecord => ({
  load,
  dueMs,
  isDone: false,
  entities: 0,
  elsewhere: 0,
  busy: 0,
  failed: 0,
  otherErrors: 0,
});
