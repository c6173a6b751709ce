/**
 * How Partita knows that a change is stored.
 *
 * - `response`: the service acknowledged the write.
 * - `marker`: the marker of the transaction is stored.
 * - `content`: the row has the values that were sent. Another writer may have stored the same values.
 * - `gone`: the row of a delete no longer exists. Another writer may have deleted it.
 */
export type Evidence = "response" | "marker" | "content" | "gone";

/**
 * How the delete of a row that no longer exists is reported.
 *
 * - `conflict` (default): as a conflict if the service refused it, as committed with evidence `gone` if a response was
 *   lost.
 * - `ignore`: as committed with evidence `gone` in both cases.
 * - `error`: as a conflict, or as unknown if a response was lost. Use it if you take rows by deleting them and one
 *   writer must win.
 */
export type RemoveMissing = "conflict" | "ignore" | "error";

/** The part that all results have. */
interface ChangeResult {
  /** The entity instance the change belongs to. */
  readonly entity: object;
  /** Class, table and key, for messages: `Blog in Blogs ("Channel9", "2521…")`. */
  readonly subject: string;
  readonly operation: "insert" | "merge" | "replace" | "upsert-merge" | "upsert-replace" | "delete";
  /** Requests that were sent for this change; 0 if Partita did not send it. */
  readonly attempts: number;
}

/**
 * A change that is stored, and how that is known.
 *
 * ```ts
 * const context = new TableContext(storage);
 * context.create(Blog, { channel: "Channel9", postedOn: new Date(), text: "Hello" });
 * for (const result of await context.saveChanges()) {
 *   if (result.outcome !== "committed") continue;
 *   console.log(result.operation, result.evidence); // → insert response
 *   console.log(result.etag === context.entry(result.entity).etag); // → true
 * }
 * ```
 */
export interface CommittedResult extends ChangeResult {
  readonly outcome: "committed";
  readonly evidence: Evidence;
  readonly etag?: string;
  readonly earlier?: undefined;
  readonly error?: undefined;
  readonly aborted?: undefined;
  readonly lateUntil?: undefined;
  readonly status?: undefined;
  readonly serviceCode?: undefined;
  readonly requestId?: undefined;
}

/**
 * A change that is not stored, or not known to be stored. A `SaveError` has these results.
 *
 * ```ts
 * const faulty = withFaults(storage, writeFaults("timeout-before")); // the first write never arrives
 * const context = new TableContext(faulty, { retry: noRetry, clock: virtualClock() });
 * context.create(Blog, { channel: "Channel9", postedOn: new Date(), text: "Hello" });
 * try {
 *   await context.saveChanges();
 * } catch (error) {
 *   if (!(error instanceof SaveError)) throw error;
 *   for (const result of error.unknown) console.log(result.outcome, result.lateUntil !== undefined); // → unknown true
 *   await context.saveChanges(); // asks what became of the change, and sends it again if it is not stored
 * }
 * ```
 */
export interface FailedResult extends ChangeResult {
  /**
   * `rejected`: the change is not stored and never will be. `unknown`: it may be stored; final if `lateUntil` is
   * absent.
   */
  readonly outcome: "rejected" | "unknown";
  /** The reason. An `aborted` change has the error of its transaction, or none if nothing was sent. */
  readonly error?: Error;
  /** True if another operation of the same transaction was refused, not this one. */
  readonly aborted?: true;
  /** For an unknown outcome: the request may still be applied until then. If absent, nothing more can be found out. */
  readonly lateUntil?: Date;
  /**
   * A change of the same entity that an earlier save left unknown, and that this save found stored. The result is about
   * the changes made since.
   */
  readonly earlier?: CommittedResult;
  /** HTTP status, if the service sent one. */
  readonly status?: number;
  /** The service's error code, such as `UpdateConditionNotSatisfied`. */
  readonly serviceCode?: string;
  readonly requestId?: string;
  readonly evidence?: undefined;
  readonly etag?: undefined;
}

/** The outcome of one change of a save. */
export type SaveResult = CommittedResult | FailedResult;
