/** What a simulation without a violation came to. */
export interface SimulationReport {
  readonly runs: number;
  /** Requests of all runs, failed ones included. */
  readonly requests: number;
  /** Requests that failed as planned. */
  readonly faults: number;
  /** Writes that the store carried out after their actor had an answer. */
  readonly lateArrivals: number;
  /** Outcomes of changes that saves and `resolveInDoubt()` reported to actors. */
  readonly committed: number;
  readonly rejected: number;
  readonly unknown: number;
  /** Outcomes that `resolveInDoubt({ wait: true })` could not find out when faults had stopped. */
  readonly unknownAtEnd: number;
}
