import { hasSameProperties, hasSameProperty } from "../edm/same-value.ts";
import { isSystemName, type StoredEntity } from "../edm/stored-entity.ts";
import { etagOf, isOfKind, timestampOf } from "../codec/row-layout.ts";
import { isMerge, type RowWrite } from "../storage/write-operation.ts";
import { conditionOf, isRewrite } from "../unit-of-work/in-doubt-write.ts";
import type { ChangeSet } from "../unit-of-work/tracked-entity.ts";

/**
 * What the stored rows say of a write whose answer was lost.
 *
 * - `applied`: it was stored.
 * - `unchanged`: a row still has the version the write was conditional on, or was last written before the write was sent,
 *   so nothing of it is stored yet.
 * - `absent`: nothing of what it would have inserted is stored.
 * - `disproved`: its marker was closed before it arrived, so it was not stored and never will be.
 * - `undecided`: somebody else wrote or removed rows since, so it cannot be said.
 */
export type Verdict = "applied" | "disproved" | "unchanged" | "absent" | "undecided";

/** What one row says of its own operation; `gone`: the row of a removal is not there, whoever removed it. */
export type RowEvidence = "consistent" | "gone" | "unchanged" | "absent" | "unclear";

/**
 * Judges a write by its rows, read afterwards. A transaction is stored whole or not at all, so one row that nobody
 * touched speaks for all; without any, every row must be what was written.
 *
 * @param rows - in the order of the changes
 * @param sentAfter - the store's own time before the write was sent
 */
export function judgeWrite(
  changes: readonly ChangeSet[],
  rows: readonly (StoredEntity | undefined)[],
  sentAfter: number | undefined,
): Judgement {
  const members = changes.map((change, i) => evidenceOf(change, rows[i], sentAfter));
  return {
    verdict: verdictOf(members),
    members,
  };
}

/** What rows say of a write. */
export interface Judgement {
  readonly verdict: Verdict;
  /** What each row says, in the order of the changes. */
  readonly members: readonly RowEvidence[];
}

function verdictOf(members: readonly RowEvidence[]): Verdict {
  if (members.includes("unchanged")) return "unchanged";
  // Rows that are gone speak for nobody: others remove rows too.
  const isAsSent = members.every((member) => member === "consistent" || member === "gone");
  if (isAsSent && members.includes("consistent")) return "applied";
  return members.every((member) => member === "absent") ? "absent" : "undecided";
}

/** What one row says of its own change. */
export function evidenceOf(
  change: ChangeSet,
  row: StoredEntity | undefined,
  sentAfter: number | undefined,
): RowEvidence {
  const { operation } = change;
  const etag = conditionOf(operation);
  if (etag !== undefined && row !== undefined && etagOf(row) === etag) return "unchanged";
  if (row === undefined) {
    if (operation.type === "delete") return "gone";
    return operation.type === "merge" || operation.type === "replace" ? "unclear" : "absent";
  }
  const found = operation.type === "delete" ? "unclear" : evidenceIn(row, operation, change);
  // Clocks come last: they are no proof against what the row itself says.
  return found === "unclear" && isOlder(row, sentAfter) ? "unchanged" : found;
}

/** What the content of a row says that another version has since. */
function evidenceIn(row: StoredEntity, operation: RowWrite, change: ChangeSet): RowEvidence {
  const { model } = change.entry;
  // Another class has taken the key since.
  if (!isOfKind(model, row)) return "unclear";
  if (isRewrite(change)) return "unclear";
  const isSame = isMerge(operation) ? holds(row, operation.entity) : isAsWritten(row, operation.entity);
  return isSame ? "consistent" : "unclear";
}

/** Whether a row holds just what was sent, keys and system values aside. */
export const isAsWritten = (row: StoredEntity, sent: StoredEntity): boolean => hasSameProperties(row, sent);

/** The clocks of a service's machines may differ a little, and some show whole seconds only. */
const clockMarginMs = 30_000;

/** Whether a row was last written before the store's clock showed this time. */
function isOlder(row: StoredEntity, time: number | undefined): boolean {
  const written = timestampOf(row);
  return time !== undefined && written !== undefined && Date.parse(written) < time - clockMarginMs;
}

/** Whether a row has every property of a merge. */
export const holds = (row: StoredEntity, part: StoredEntity): boolean =>
  Object.keys(part).every(
    (name) => part[name] === undefined || isSystemName(name) || hasSameProperty(row, part, name),
  );
