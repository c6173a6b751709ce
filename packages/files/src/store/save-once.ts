import { SaveError, type TableContext } from "@partita/core";
import { exponential } from "@partita/core/rest";
import { waitOf } from "@partita/core/internal";
import { contended, inDoubt, type VersionName } from "../errors/file-errors.ts";
import type { FileRow } from "../rows/rows.ts";
import type { FileStore } from "./file-store.ts";

/** The changed version, for errors. */
export interface Change {
  readonly place: VersionName;
  /** The noun in "whether … was applied": `the append`. */
  readonly what: string;
  readonly signal: AbortSignal | undefined;
}

/**
 * Saves the changes of a context in one transaction.
 *
 * @returns false if nothing was stored because another program was first; read again and retry
 * @throws FileError `file.in-doubt` if the outcome stays unknown
 */
export async function saveOnce(context: TableContext, change: Change): Promise<boolean> {
  const { signal } = change;
  for (const { entity } of context.pendingChanges())
    // Each row has this property.
    (entity as FileRow).change = crypto.randomUUID();
  try {
    // Taking a block deletes it. If its row no longer exists, another reader may have it.
    await context.saveChanges({ batch: "atomic", removeMissing: "error", signal });
    return true;
  } catch (error) {
    if (!SaveError.is(error)) throw error;
    // Applied completely. For a transaction of deletes alone, it may be unknown who applied it.
    if (error.committed.length > 0) return true;
    if (error.unknown.length > 0) return isStored(context, change, error);
    if (error.conflicts.length > 0) return false;
    throw error;
  }
}

/** The outcome of a transaction after a lost response. It is atomic, so any of its rows shows the outcome. */
async function isStored(
  context: TableContext,
  { place, what, signal }: Change,
  cause: SaveError,
): Promise<boolean> {
  const outcomes = (await context.resolveInDoubt({ signal }).catch(() => [])).map(({ outcome }) => outcome);
  if (outcomes.includes("committed")) return true;
  if (outcomes.length > 0 && outcomes.every((outcome) => outcome === "rejected")) return false;
  throw inDoubt(place, what, cause);
}

/** Attempts of a change that conflicts with other programs. In each round, one of them succeeds. */
const patience = exponential({ attempts: 60, delayMs: 2, maxMs: 500 });

/**
 * Retries until no other program is first.
 *
 * @param attempt - returns undefined if another program was first
 * @throws FileError `file.contended`
 */
export async function untilFirst<Result>(
  { clock }: Pick<FileStore, "clock">,
  { place, signal }: Pick<Change, "place" | "signal">,
  attempt: () => Promise<Result | undefined>,
): Promise<Result> {
  for (let tries = 1; tries <= patience.attempts; tries++) {
    const result = await attempt();
    if (result !== undefined) return result;
    await clock.wait(Math.random() * waitOf(patience, tries), signal);
  }
  throw contended(place);
}
