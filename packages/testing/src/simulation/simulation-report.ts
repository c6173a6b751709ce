/** The totals of a simulation without a violation. */
export interface SimulationReport {
  readonly runs: number;
  /** Requests of all runs, including failed ones. */
  readonly requests: number;
  /** Requests with planned faults. */
  readonly faults: number;
  /** Writes that the store applied after their actor had a response. */
  readonly lateArrivals: number;
  /** Outcomes that saves and `resolveInDoubt()` reported to actors. */
  readonly committed: number;
  readonly rejected: number;
  readonly unknown: number;
  /** Outcomes that were still unknown after `resolveInDoubt({ wait: true })`, once faults had stopped. */
  readonly unknownAtEnd: number;
}
