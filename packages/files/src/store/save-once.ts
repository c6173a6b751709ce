import { SaveError, type TableContext } from "@partita/core";
import { exponential } from "@partita/core/rest";
import { waitOf } from "@partita/core/internal";
import { contended, inDoubt, type VersionPlace } from "../errors/file-errors.ts";
import type { BlockRow, FileRow, StateRow } from "../rows/file-rows.ts";
import type { FileStore } from "./file-store.ts";

/** What is saved, for errors. */
export interface Change {
  readonly place: VersionPlace;
  /** As in "whether … was carried out": `the append`. */
  readonly what: string;
  readonly signal: AbortSignal | undefined;
}

/**
 * Saves the changes of a context in one transaction.
 *
 * @returns false where nothing was stored since somebody else was first: read again, and try again
 * @throws FileError `file.in-doubt`, where neither can be found out
 */
export async function saveOnce(context: TableContext, change: Change): Promise<boolean> {
  const { signal } = change;
  for (const { entity } of context.pendingChanges())
    (entity as FileRow | StateRow | BlockRow).change = crypto.randomUUID();
  try {
    // Blocks are taken by removing them: a row that is gone may be another reader's.
    await context.saveChanges({ batch: "atomic", removeMissing: "error", signal });
    return true;
  } catch (error) {
    if (!SaveError.is(error)) throw error;
    // Carried out as a whole: of removals alone, it may be unknown whose they were.
    if (error.committed.length > 0) return true;
    if (error.unknown.length > 0) return isStored(context, change, error);
    if (error.conflicts.length > 0) return false;
    throw error;
  }
}

/** What became of a transaction whose answer was lost. It is carried out as a whole, so that any of its rows shows it. */
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

/** Tries of a change that others come in front of; one of them succeeds each time. */
const patience = exponential({ attempts: 60, delayMs: 2, maxMs: 500 });

/**
 * Does something until nobody else comes first.
 *
 * @param attempt - undefined where somebody did
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
