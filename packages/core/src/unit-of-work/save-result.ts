/**
 * What proves that a change is stored.
 *
 * - `answer`: the store said so.
 * - `marker`: the marker of its transaction is stored.
 * - `content`: the row holds what was sent, which another writer may have stored as well.
 * - `gone`: the row of a removal no longer exists, and another writer may have removed it as well.
 */
export type Evidence = "answer" | "marker" | "content" | "gone";

/**
 * What the removal of a row that no longer exists is.
 *
 * - `conflict` (default): a conflict, where the store refused it; committed with evidence `gone`, where a response was lost.
 * - `ignore`: committed with evidence `gone` in both cases.
 * - `error`: a conflict, or unknown: for those who take rows by removing them, of whom one must win.
 */
export type RemoveMissing = "conflict" | "ignore" | "error";

/** One change of a save and what became of it. */
export interface SaveResult {
  /** The entity instance the change belongs to. */
  readonly entity: object;
  /** Class, table and key, for messages: `Blog in Blogs ("Channel9", "2521…")`. */
  readonly subject: string;
  readonly operation: "insert" | "merge" | "replace" | "upsert-merge" | "upsert-replace" | "delete";
  /**
   * `committed`: proof that it is stored. `rejected`: proof that it is not, and will not be. `unknown`: neither; final
   * where `lateUntil` is absent.
   */
  readonly outcome: "committed" | "rejected" | "unknown";
  /** True when only another operation of the same transaction was refused. */
  readonly aborted?: true;
  /** Of a committed change: what proves it. */
  readonly evidence?: Evidence;
  readonly etag?: string;
  /** Of an unknown outcome: until then, the request may still be carried out. Absent, nothing more can be found out. */
  readonly lateUntil?: Date;
  /** HTTP status, when the store reported one. */
  readonly status?: number;
  /** The service's code, such as `UpdateConditionNotSatisfied`. */
  readonly serviceCode?: string;
  readonly requestId?: string;
  /** Requests sent for this change; 0 when it was refused before sending. */
  readonly attempts: number;
  readonly error?: Error;
}
