import {
  conclude as concludeLost,
  type Finding,
  isConditional,
  judge as judgeMembers,
  judgeMember,
  maySend,
  type Operation,
} from "../../../../src/work/recovery/lost-response-rules.ts";

export { type Finding, isConditional, maySend, type Operation };

/**
 * The client of the model keeps what it knows of each request, and judges it by the rules of the product.
 *
 * - `open`: no response, and it may still arrive
 * - `over`: no response, it cannot arrive any more, and no row was read since
 * - `closed`: it cannot arrive any more and was judged; it may have been applied
 * - `no`: it was not applied and never will be
 * - `yes`: it was applied
 */
export type AttemptState = "open" | "over" | "closed" | "no" | "yes";

/** One request: an entity group transaction or a single operation. */
export interface Attempt<Op extends Operation = Operation> {
  readonly operations: readonly Op[];
  readonly state: AttemptState;
}

/** What the user requested; several changes are an atomic group. Never an ETag or an operation. */
export interface Intention<Change, Made extends Attempt = Attempt> {
  readonly changes: readonly Change[];
  readonly attempts: readonly Made[];
}

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
  const members = operations.map((operation) => {
    const row = rowOf(operation);
    return judgeMember(operation, row && { etag: row.etag, isEqual: () => isEqual(operation, row) });
  });
  return judgeMembers(operations, members, wasOver);
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
  const found = concludeLost(left.filter((one) => one !== "never").map((state) => ({ state })));
  return found === "clear" ? { is: "clear" } : { is: "in doubt", isFinal: found === "final" };
}
