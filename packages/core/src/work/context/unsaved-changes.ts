// Warns of changes that a program makes and never saves: when it closes their context, and in development also when
// their context is garbage-collected, and when the program ends.

import type { ChangeTracker } from "../unit-of-work/change-tracker.ts";
import { isAsRefused } from "./refused-changes.ts";

const code = "PARTITA_UNSAVED";

/**
 * How many contexts are watched at a time. The collector keeps a watched context until a major collection, which would
 * double the cost of a program that makes thousands of short ones.
 */
const mostWatched = 100;

/** The trackers of watched contexts. They don't refer to their context, so it can be collected. */
const watched = new Set<ChangeTracker>();

const collected = new FinalizationRegistry<ChangeTracker>((tracker) => {
  watched.delete(tracker);
  // A program that drops one drops many: one warning is enough, and no further context is watched.
  if (isWatching === true) isWatching = !warnOfUnsaved(tracker, "A context was dropped");
});

/** Undefined before the first context. Only in development: in tests, changes are left unsaved on purpose. */
let isWatching: boolean | undefined;

/** Watches a context until it is closed or collected, or the program ends. */
export function watchUnsaved(context: object, tracker: ChangeTracker): void {
  if (watched.size >= mostWatched) return;
  if (!(isWatching ??= startWatching())) return;
  watched.add(tracker);
  collected.register(context, tracker, tracker);
}

function startWatching(): boolean {
  const { NODE_ENV } = process.env;
  if (NODE_ENV === "production" || NODE_ENV === "test") return false;
  process.on("exit", (status) => {
    // After an error, the changes are not what the program lacks. Without listeners, warnings are switched off.
    if (status !== 0 || process.listenerCount("warning") === 0) return;
    const text = unsavedIn(watched);
    // Warnings are printed on the next tick, and there is none.
    if (text !== "") process.stderr.write(`(${code}) Warning: The program ended${text}\n`);
  });
  return true;
}

/** Ends the watch of a context that is closed, with a warning if it has changes that are not saved. */
export function endWatch(tracker: ChangeTracker): void {
  watched.delete(tracker);
  collected.unregister(tracker);
  warnOfUnsaved(tracker, "A context was closed");
}

/** Returns whether there was something to warn of. */
function warnOfUnsaved(tracker: ChangeTracker, what: string): boolean {
  const text = unsavedIn([tracker]);
  if (text !== "") process.emitWarning(what + text, { code });
  return text !== "";
}

/** The changes that are not saved, by class, as the end of a sentence; changes that a save refused were reported. */
function unsavedIn(trackers: Iterable<ChangeTracker>): string {
  const left = [...trackers].flatMap((tracker) => tracker.pending()).filter((entry) => !isAsRefused(entry));
  if (left.length === 0) return "";
  const counts = new Map<string, number>();
  for (const { model } of left) counts.set(model.name, (counts.get(model.name) ?? 0) + 1);
  const list = Array.from(counts, ([name, count]) => `${count} of ${name}`).join(", ");
  return ` with ${left.length} change(s) that are not saved, or not known to be (${list}). Await saveChanges() before it ends, or drop them with clear({ discard: true }).`;
}
