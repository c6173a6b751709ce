/*
 * The rules for lost responses, as pure functions of the context's knowledge: judge each attempt by the rows that
 * were read, conclude the outcome of a change, and decide what may be sent next. A test explores every history of
 * small scenarios with these same functions (`test/recovery/intentions`).
 */

/** The part of a request for one row. */
export interface Operation {
  readonly type: "insert" | "merge" | "replace" | "upsert" | "upsert-merge" | "upsert-replace" | "delete";
  /** The condition; absent for inserts and upserts, `*` for any version. */
  readonly etag?: string | undefined;
}

/** A stored row, compared with one operation. */
export interface RowSeen {
  readonly etag: string | undefined;
  /** Whether it has the values that were sent. */
  readonly isEqual: () => boolean;
  /** Whether it was certainly last written before the operation was sent. */
  readonly isOlder?: () => boolean;
}

/** The finding from one row about one operation. */
export type MemberFinding = "not yet" | "gone" | "absent" | "missing" | "equal" | "other";

/**
 * The finding from all rows about one attempt.
 *
 * - `never`: it was not applied and can no longer be
 * - `not yet`: it was not applied, but may still be
 * - `content`: it was applied, or other programs wrote equal values
 * - `closed`: it may have been applied, and can no longer arrive
 * - `open`: it may have been applied, or may still arrive
 */
export type Finding = "never" | "not yet" | "content" | "closed" | "open";

/**
 * The conclusion about a change from all of its attempts.
 *
 * - `clear`: none was applied, and none will be
 * - `open`: one may have been applied, or may still arrive
 * - `final`: one may have been applied, and nothing more can be found out
 */
export type Conclusion = "clear" | "open" | "final";

/** Whether an operation needs a certain version of its row. */
export const isConditional = ({ type, etag }: Operation): boolean =>
  type !== "insert" && etag !== undefined && etag !== "*";

export const isUpsert = ({ type }: Operation): boolean => type.startsWith("upsert");

/** The finding from one row about one operation. */
export function judgeMember(operation: Operation, row: RowSeen | undefined): MemberFinding {
  const { type, etag } = operation;
  if (row === undefined) {
    if (type === "delete") return "gone";
    return type === "insert" || isUpsert(operation) ? "absent" : "missing";
  }
  if (isConditional(operation) && row.etag === etag) return "not yet";
  if (type !== "delete" && row.isEqual()) return "equal";
  // Clocks are checked last: they prove less than the row's values.
  return row.isOlder?.() === true ? "not yet" : "other";
}

/**
 * The finding from all rows about one attempt, which is atomic.
 *
 * @param members - the finding from each row about its operation
 * @param wasOver - whether the attempt could no longer arrive when the first row was read
 */
export function judge(
  operations: readonly Operation[],
  members: readonly MemberFinding[],
  wasOver: boolean,
): Finding {
  if (members.includes("not yet")) return wasOver ? "never" : "not yet";
  // A missing row alone proves nothing: other programs delete rows too.
  if (members.includes("equal") && members.every((one) => one === "equal" || one === "gone"))
    return "content";
  // A version does not come back: once one condition fails, no part of the attempt can be applied.
  return wasOver || operations.some(isConditional) ? "closed" : "open";
}

/** The conclusion about a change from its attempts that were not disproved. */
export function conclude(attempts: readonly { readonly state: string }[]): Conclusion {
  if (attempts.length === 0) return "clear";
  return attempts.every(({ state }) => state === "closed") ? "final" : "open";
}

/**
 * Whether an operation can be applied to the row that was read, and overwrites nothing unintended.
 *
 * @param canArrive - whether an earlier attempt for the same row may still arrive
 */
export function maySend(
  operation: Operation,
  row: Pick<RowSeen, "etag"> | undefined,
  { canArrive, isIdempotent }: { readonly canArrive: boolean; readonly isIdempotent: boolean },
): boolean {
  if (operation.type === "insert") return row === undefined;
  if (isConditional(operation)) return row !== undefined && row.etag === operation.etag;
  if (!isUpsert(operation) && row === undefined) return false;
  return !canArrive || isIdempotent;
}
