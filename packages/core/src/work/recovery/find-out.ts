import { isSystemName, type StoredEntity } from "../../values/edm/stored-entity.ts";
import { etagOf, isOfKind, timestampOf } from "../../model/codec/row-layout.ts";
import { hasSameProperties, hasSameProperty } from "../../values/edm/same-value.ts";
import type { Retries } from "../../storage/with-retry.ts";
import type { TableStorage } from "../../storage/table-storage.ts";
import { isMerge } from "../../storage/write-operation.ts";
import { type ChangeSet, isRewrite } from "../unit-of-work/tracked-entity.ts";
import { type Attempt, mayBeSwept } from "./attempt.ts";
import { closeMarker } from "./marker.ts";
import { readRows } from "./read-back.ts";
import { type Finding, judge, judgeMember, type MemberFinding } from "./lost-response-rules.ts";

/** The finding about an attempt, read from storage. */
export interface Found {
  /** `marker`: its marker proves that it was applied. */
  readonly finding: Finding | "marker";
  /** The finding from each row, in the order of the changes; empty when the marker decided it. */
  readonly members: readonly MemberFinding[];
  /** The stored rows, in the order of the changes; empty when they could not be read. */
  readonly rows: readonly (StoredEntity | undefined)[];
}

/**
 * Reads the marker of an attempt, or its rows. Returns undefined when storage gave no definite response.
 *
 * @param wasOver - whether it could no longer arrive before the first of its rows was read
 */
export async function findOut(
  storage: TableStorage,
  attempt: Attempt,
  retries: Retries,
  signal: AbortSignal | undefined,
  wasOver: boolean,
): Promise<Found | undefined> {
  if (attempt.marker !== undefined) return askMarker(storage, attempt, retries, signal);
  const rows = await readRows(storage, attempt, signal);
  if (rows === undefined) return undefined;
  const members = attempt.changes.map((change, i) => judgeChange(change, rows[i], attempt.sentAfter));
  const operations = attempt.changes.map(({ operation }) => operation);
  return { finding: judge(operations, members, wasOver), members, rows };
}

async function askMarker(
  storage: TableStorage,
  attempt: Attempt,
  retries: Retries,
  signal: AbortSignal | undefined,
): Promise<Found | undefined> {
  const state = await closeMarker(storage, attempt, retries, signal);
  // Checked after reading, since the program may have slept: by now, the marker of an applied request may be swept.
  const isUncertain = mayBeSwept(attempt);
  if (state === undefined) return undefined;
  const rows = (await readRows(storage, attempt, signal)) ?? [];
  if (state === "applied") return { finding: "marker", members: [], rows };
  // No request of it can be applied now, but one may have been, long ago.
  return { finding: isUncertain ? "closed" : "never", members: [], rows };
}

/** The finding from a row that was read after its change was sent. */
export const judgeChange = (
  change: ChangeSet,
  row: StoredEntity | undefined,
  sentAfter: number | undefined,
): MemberFinding =>
  judgeMember(
    change.operation,
    row && {
      etag: etagOf(row),
      isEqual: () => isEqual(change, row),
      isOlder: () => isOlder(row, sentAfter),
    },
  );

/** Whether a row holds the values that were sent, which shows that they were stored. */
function isEqual(change: ChangeSet, row: StoredEntity): boolean {
  const { entry, operation } = change;
  if (operation.type === "delete" || isRewrite(change)) return false;
  // A row of another class may now have the key.
  if (!isOfKind(entry.model, row)) return false;
  return isMerge(operation) ? holds(row, operation.entity) : hasSameProperties(row, operation.entity);
}

/** Whether a row has every property of a merge. */
const holds = (row: StoredEntity, part: StoredEntity): boolean =>
  Object.keys(part).every(
    (name) => part[name] === undefined || isSystemName(name) || hasSameProperty(row, part, name),
  );

/** Clocks of the service's machines may differ a little, and some show whole seconds only. */
const clockMarginMs = 30_000;

/** Whether a row was last written before this time of storage's clock. */
function isOlder(row: StoredEntity, time: number | undefined): boolean {
  const written = timestampOf(row);
  return time !== undefined && written !== undefined && Date.parse(written) < time - clockMarginMs;
}
