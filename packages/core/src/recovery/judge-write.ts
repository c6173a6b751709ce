import { hasSameProperties, hasSameProperty } from "../edm/same-value.ts";
import { isSystemName, type StoredEntity } from "../edm/stored-entity.ts";
import { type EntityModel } from "../model/entity-model.ts";
import { etagOf, isOfKind, timestampOf, writeIdsOf } from "../codec/row-layout.ts";
import type { DeleteOperation, WriteOperation } from "../storage/write-operation.ts";
import type { ChangeSet } from "../unit-of-work/tracked-entity.ts";

/**
 * What the stored rows say of a write whose answer was lost.
 *
 * - `applied`: it was stored.
 * - `unchanged`: a row still has the version the write was conditional on, or was last written before the write was sent,
 *   so nothing of it is stored yet.
 * - `absent`: nothing of what it would have inserted is stored.
 * - `disproved`: somebody else wrote over the very version it was conditional on, so it was not stored and never will be.
 * - `undecided`: somebody else wrote since, so it cannot be said.
 */
export type Verdict = "applied" | "disproved" | "unchanged" | "absent" | "undecided";

/** What one row says of its own operation. */
type Evidence = "proof" | "disproof" | "consistent" | "unchanged" | "absent" | "unclear";

/**
 * Judges a write by its rows, read afterwards. A transaction is stored whole or not at all, so one row with our write
 * id, or one that nobody touched, speaks for all; without either, every row must be what was written.
 *
 * @param rows - in the order of the changes
 * @param sentAfter - the store's own time before the write was sent
 */
export function judgeWrite(
  changes: readonly ChangeSet[],
  rows: readonly (StoredEntity | undefined)[],
  sentAfter: number | undefined,
): Judgement {
  const found = changes.map((change, i) => evidenceOf(change, rows[i], sentAfter));
  return {
    verdict: verdictOf(found),
    isTorn: found.includes("unchanged") || found.includes("absent"),
    isByContent: !found.includes("proof"),
  };
}

/** What rows say of a write. */
export interface Judgement {
  readonly verdict: Verdict;
  /** Whether a row was read before the write was stored: rows are not read at one moment. */
  readonly isTorn: boolean;
  /** Whether only equal values speak for it, which another write may have stored as well. */
  readonly isByContent: boolean;
}

function verdictOf(found: readonly Evidence[]): Verdict {
  if (found.includes("proof")) return "applied";
  if (found.includes("disproof")) return "disproved";
  if (found.includes("unchanged")) return "unchanged";
  if (found.every((evidence) => evidence === "consistent")) return "applied";
  return found.every((evidence) => evidence === "absent") ? "absent" : "undecided";
}

function evidenceOf(
  { operation, entry }: ChangeSet,
  row: StoredEntity | undefined,
  sentAfter: number | undefined,
): Evidence {
  const asksVersion = "etag" in operation && operation.etag !== "*";
  if (asksVersion && row !== undefined && etagOf(row) === operation.etag) return "unchanged";
  if (row === undefined) {
    if (operation.type === "delete") return "consistent";
    return operation.type === "merge" || operation.type === "replace" ? "unclear" : "absent";
  }
  const found = operation.type === "delete" ? "unclear" : evidenceIn(row, operation, entry.model);
  // Clocks come last: they are no proof against what the row itself says.
  return found === "unclear" && isOlder(row, sentAfter) ? "unchanged" : found;
}

/** What a row says that another version has since: by its ids, or by its content. */
function evidenceIn(
  row: StoredEntity,
  operation: Exclude<WriteOperation, DeleteOperation>,
  model: EntityModel,
): Evidence {
  // Another class has taken the key since.
  if (!isOfKind(model, row)) return "unclear";
  // Where rows carry ids, equal values are no proof: another writer may have stored the same.
  if (model.options.writeId) return evidenceOfIds(operation, row);
  const isPart = operation.type === "merge" || operation.type === "upsert-merge";
  const isSame = isPart ? holds(row, operation.entity) : isAsWritten(row, operation.entity);
  return isSame ? "consistent" : "unclear";
}

/** Ours is among a row's writes; or the write before ours is, and ours is not, so another one took its place. */
function evidenceOfIds(operation: Exclude<WriteOperation, DeleteOperation>, row: StoredEntity): Evidence {
  const [own, base] = writeIdsOf(operation.entity);
  const [latest, ...earlier] = writeIdsOf(row);
  if (own !== undefined && (latest === own || earlier.includes(own))) return "proof";
  // Only a conditional write knows the one before it. As the latest it proves nothing: other programs copy rows.
  return base !== undefined && earlier.includes(base) ? "disproof" : "unclear";
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
const holds = (row: StoredEntity, part: StoredEntity): boolean =>
  Object.keys(part).every(
    (name) => part[name] === undefined || isSystemName(name) || hasSameProperty(row, part, name),
  );
