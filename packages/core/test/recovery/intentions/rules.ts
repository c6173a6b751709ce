/*
 * The rules for lost responses, as pure functions of what the client knows. A save and `resolveInDoubt()` call them: judge
 * each attempt by the rows that were read, conclude what became of the intention, and decide what may be sent next.
 */

/**
 * What the client knows of one request:
 *
 * - `open`: no response, and it may still arrive
 * - `over`: no response, it cannot arrive any more, and no row was read since
 * - `closed`: it cannot arrive any more and was judged; it may have been applied
 * - `no`: it was not applied and never will be
 * - `yes`: it was applied
 */
export type AttemptState = "open" | "over" | "closed" | "no" | "yes";

/** One row's part of a request. */
export interface Operation {
  readonly type: "insert" | "merge" | "replace" | "upsert" | "delete";
  /** The condition; absent for inserts and upserts. */
  readonly etag?: string | undefined;
  /** The version that was known when an unconditional operation was sent. */
  readonly knownEtag?: string | undefined;
}

/** One request: an entity group transaction or a single operation. */
export interface Attempt<Op extends Operation = Operation> {
  readonly operations: readonly Op[];
  readonly state: AttemptState;
}

/** What the user asked for; several changes are an atomic group. Never an ETag or an operation. */
export interface Intention<Change, Made extends Attempt = Attempt> {
  readonly changes: readonly Change[];
  readonly attempts: readonly Made[];
}

/** What one row says of one operation. */
type MemberFinding = "not yet" | "gone" | "absent" | "missing" | "equal" | "other";

/** What rows say of one attempt. `content`: applied, or others wrote equal values. */
export type Finding = "open" | "closed" | "not yet" | "never" | "content";

/** What is known of an intention. `clear`: no attempt was applied, and none will be. */
export type Conclusion =
  | { readonly is: "committed"; readonly evidence: "response" | "content" }
  | { readonly is: "clear" }
  | { readonly is: "in doubt"; readonly isFinal: boolean };

/** Whether an attempt has no response and was not disproved. */
export const isLost = ({ state }: Pick<Attempt, "state">): boolean =>
  state === "open" || state === "over" || state === "closed";

/** Whether more can be learnt about a lost attempt. */
export const isUnjudged = ({ state }: Pick<Attempt, "state">): boolean =>
  state === "open" || state === "over";

/** Whether the operation needs a certain version of its row. */
export const isConditional = ({ type, etag }: Operation): boolean =>
  type !== "insert" && etag !== undefined && etag !== "*";

/**
 * What one row says of one operation.
 *
 * @param isEqual - whether the row holds the values that were sent; called for no delete
 */
function judgeMember<Op extends Operation, Row extends { readonly etag: string }>(
  operation: Op,
  row: Row | undefined,
  isEqual: (operation: Op, row: Row) => boolean,
): MemberFinding {
  const { type } = operation;
  if (row === undefined) {
    if (type === "delete") return "gone";
    return type === "insert" || type === "upsert" ? "absent" : "missing";
  }
  const before = isConditional(operation) ? operation.etag : operation.knownEtag;
  if (before !== undefined && row.etag === before) return "not yet";
  return type !== "delete" && isEqual(operation, row) ? "equal" : "other";
}

/**
 * What rows say of one attempt.
 *
 * @param rowOf - the row that was read for an operation
 * @param wasOver - whether the attempt could not arrive any more when the first of the rows was read
 */
export function judge<Op extends Operation, Row extends { readonly etag: string }>(
  { operations }: Attempt<Op>,
  rowOf: (operation: Op) => Row | undefined,
  isEqual: (operation: Op, row: Row) => boolean,
  wasOver: boolean,
): Finding {
  const found = operations.map((operation) => judgeMember(operation, rowOf(operation), isEqual));
  if (found.includes("not yet")) return wasOver ? "never" : "not yet";
  if (found.includes("equal") && found.every((one) => one === "equal" || one === "gone")) return "content";
  // A version does not come back: with one condition gone, the complete attempt cannot arrive any more.
  return wasOver || operations.some(isConditional) ? "closed" : "open";
}

/**
 * What is known of an intention by all of its attempts.
 *
 * @param findings - what rows say of each attempt; undefined where none was read
 */
export function conclude(
  attempts: readonly Pick<Attempt, "state">[],
  findings: readonly (Finding | undefined)[],
): Conclusion {
  if (attempts.some(({ state }) => state === "yes")) return { is: "committed", evidence: "response" };
  if (findings.includes("content")) return { is: "committed", evidence: "content" };
  const left = attempts.flatMap((attempt, i) => (isLost(attempt) ? [findings[i] ?? attempt.state] : []));
  const possible = left.filter((one) => one !== "never");
  if (possible.length === 0) return { is: "clear" };
  return { is: "in doubt", isFinal: possible.every((one) => one === "closed") };
}

/**
 * Whether an operation can apply to the row that was read, and overwrites nothing that it should not.
 *
 * @param canArrive - whether an earlier attempt for the same row may still arrive
 */
export function maySend(
  operation: Operation,
  row: { readonly etag: string } | undefined,
  { canArrive, isIdempotent }: { readonly canArrive: boolean; readonly isIdempotent: boolean },
): boolean {
  if (operation.type === "insert") return row === undefined;
  if (isConditional(operation)) return row?.etag === operation.etag;
  if (operation.type !== "upsert" && row === undefined) return false;
  return !canArrive || isIdempotent;
}
