/**
 * What proves that a change is stored.
 *
 * - `response`: the store said so.
 * - `marker`: the marker of its transaction is stored.
 * - `content`: the row holds what was sent, which another writer may have stored as well.
 * - `gone`: the row of a removal no longer exists, and another writer may have removed it as well.
 */
export type Evidence = "response" | "marker" | "content" | "gone";

/**
 * What the removal of a row that no longer exists is.
 *
 * - `conflict` (default): a conflict, where the store refused it; committed with evidence `gone`, where a response was lost.
 * - `ignore`: committed with evidence `gone` in both cases.
 * - `error`: a conflict, or unknown: for those who take rows by removing them, of whom one must win.
 */
export type RemoveMissing = "conflict" | "ignore" | "error";

/** What every result says of its change. */
interface ChangeResult {
  /** The entity instance the change belongs to. */
  readonly entity: object;
  /** Class, table and key, for messages: `Blog in Blogs ("Channel9", "2521…")`. */
  readonly subject: string;
  readonly operation: "insert" | "merge" | "replace" | "upsert-merge" | "upsert-replace" | "delete";
  /** Requests sent for this change; 0 when it was refused before sending. */
  readonly attempts: number;
}

/** A change that is stored, and what proves it. */
export interface CommittedResult extends ChangeResult {
  readonly outcome: "committed";
  readonly evidence: Evidence;
  readonly etag?: string;
  readonly error?: undefined;
  readonly aborted?: undefined;
  readonly lateUntil?: undefined;
  readonly status?: undefined;
  readonly serviceCode?: undefined;
  readonly requestId?: undefined;
}

/** A change that is not stored, or not known to be. */
export interface FailedResult extends ChangeResult {
  /** `rejected`: proof that it is not stored, and will not be. `unknown`: no proof; final where `lateUntil` is absent. */
  readonly outcome: "rejected" | "unknown";
  /** Absent where `aborted` says it all. */
  readonly error?: Error;
  /** True when only another operation of the same transaction was refused. */
  readonly aborted?: true;
  /** Of an unknown outcome: until then, the request may still be carried out. Absent, nothing more can be found out. */
  readonly lateUntil?: Date;
  /** HTTP status, when the store reported one. */
  readonly status?: number;
  /** The service's code, such as `UpdateConditionNotSatisfied`. */
  readonly serviceCode?: string;
  readonly requestId?: string;
  readonly evidence?: undefined;
  readonly etag?: undefined;
}

/** One change of a save and what became of it. */
export type SaveResult = CommittedResult | FailedResult;
