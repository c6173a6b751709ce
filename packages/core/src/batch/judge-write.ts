import { hasSameProperties, hasSameProperty } from "../edm/same-value.ts";
import { isSystemName, type StoredEntity } from "../edm/stored-entity.ts";
import { isOfKind, writeIdProperty } from "../model/entity-model.ts";
import type { ChangeSet } from "../unit-of-work/tracked-entity.ts";

/**
 * What the stored rows say of a write whose answer was lost.
 *
 * - `applied`: it was stored.
 * - `unchanged`: a row still has the version the write was conditional on, or was last written before the write was sent,
 *   so nothing of it is stored yet.
 * - `absent`: nothing of what it would have inserted is stored.
 * - `undecided`: somebody else wrote since, so it cannot be said.
 */
export type Verdict = "applied" | "unchanged" | "absent" | "undecided";

/** What one row says of its own operation. */
type Evidence = "proof" | "consistent" | "unchanged" | "absent" | "unclear";

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
): Verdict {
  const found = changes.map((change, i) => evidenceOf(change, rows[i], sentAfter));
  if (found.includes("proof")) return "applied";
  if (found.includes("unchanged")) return "unchanged";
  if (found.every((evidence) => evidence === "consistent")) return "applied";
  return found.every((evidence) => evidence === "absent") ? "absent" : "undecided";
}

function evidenceOf(
  { operation, entry }: ChangeSet,
  row: StoredEntity | undefined,
  sentAfter: number | undefined,
): Evidence {
  if (row !== undefined && isOlder(row, sentAfter)) return "unchanged";
  const isConditional = "etag" in operation && operation.etag !== "*";
  if (isConditional && row?.["odata.etag"] === operation.etag) return "unchanged";
  if (operation.type === "delete") return row === undefined ? "consistent" : "unclear";
  const isUpdate = operation.type === "merge" || operation.type === "replace";
  if (row === undefined) return isUpdate ? "unclear" : "absent";
  // Another class has taken the key since.
  if (!isOfKind(entry.model, row)) return "unclear";
  // Where rows carry ids, equal values are no proof: another writer may have stored the same.
  if (entry.model.options.writeId)
    return row[writeIdProperty] === operation.entity[writeIdProperty] ? "proof" : "unclear";
  const isPart = operation.type === "merge" || operation.type === "upsert-merge";
  const isSame = isPart ? holds(row, operation.entity) : hasSameProperties(row, operation.entity);
  return isSame ? "consistent" : "unclear";
}

/** The clocks of a service's machines may differ a little, and some tell whole seconds only. */
const clockMarginMs = 5_000;

/** Whether a row was last written before the store's clock showed this time. */
function isOlder({ Timestamp }: StoredEntity, time: number | undefined): boolean {
  return time !== undefined && Timestamp !== undefined && Date.parse(Timestamp) < time - clockMarginMs;
}

/** Whether a row has every property of a merge. */
const holds = (row: StoredEntity, part: StoredEntity): boolean =>
  Object.keys(part).every(
    (name) => part[name] === undefined || isSystemName(name) || hasSameProperty(row, part, name),
  );
