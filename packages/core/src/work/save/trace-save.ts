import { tracingChannel, type TracingChannel } from "node:diagnostics_channel";
import type { SaveEvent } from "../../storage/tracing/trace-events.ts";
import { traceWithoutResult } from "../../storage/tracing/trace-without-result.ts";
import type { PendingSearch } from "../unit-of-work/pending-search.ts";
import type { SaveSource } from "./save-state.ts";
import type { SaveResult } from "../unit-of-work/save-result.ts";

/** The tracing channel for the saves of all contexts. */
export const saveChannel: TracingChannel<object> = tracingChannel("partita:save");

/** Reports a save to tracing channels. */
export function traceSave(
  { storage }: SaveSource,
  search: PendingSearch,
  save: () => Promise<readonly SaveResult[]>,
): Promise<readonly SaveResult[]> {
  const event: SaveEvent = { storage: storage.description, pending: search.everything().length };
  return traceWithoutResult(saveChannel, event, async (open) => {
    let results: readonly SaveResult[] | undefined;
    try {
      results = await save();
      return results;
    } catch (error) {
      // A SaveError has the result of each change.
      results = (error as { readonly results?: readonly SaveResult[] } | undefined)?.results;
      throw error;
    } finally {
      if (open && results) Object.assign(open, outcomesOf(results));
    }
  });
}

/** The number of changes for each outcome. */
function outcomesOf(results: readonly SaveResult[]): Partial<SaveEvent> {
  const counts = { committed: 0, rejected: 0, unknown: 0, attempts: 0 };
  for (const { outcome, attempts } of results) {
    counts[outcome]++;
    counts.attempts = Math.max(counts.attempts, attempts);
  }
  return counts;
}
