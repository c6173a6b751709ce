/** The record of one call of a load. Times are milliseconds since the start of its step. */
export interface WorkRecord {
  /** The position of the load in the mix. */
  readonly load: number;
  /** When it was due, independent of earlier calls. */
  readonly dueMs: number;
  /** Absent if the concurrency limit was reached. */
  begunMs?: number;
  /** Absent while it is in progress. */
  endedMs?: number;
  /** Whether it completed all its work. */
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

/** The record of a due call that has not started. */
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
