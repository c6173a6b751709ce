/** One change of a save and what became of it. */
export interface SaveResult {
  /** The entity instance the change belongs to. */
  readonly entity: object;
  /** Class, table and key, for messages: `Blog in Blogs ("Channel9", "2521…")`. */
  readonly subject: string;
  readonly operation: "insert" | "merge" | "replace" | "upsert-merge" | "upsert-replace" | "delete";
  /** `committed`: proof that it is stored. `rejected`: proof that it is not. `unknown`: neither. */
  readonly outcome: "committed" | "rejected" | "unknown";
  /** True when only another operation of the same transaction was refused. */
  readonly aborted?: true;
  readonly etag?: string;
  /** Of an unknown outcome: until then, the request may still be carried out. */
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
