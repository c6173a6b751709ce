import type { Outcome } from "../recovery/outcome.ts";
import type { SaveResult } from "../unit-of-work/save-result.ts";
import type { ChangeSet } from "../unit-of-work/tracked-entity.ts";
import { withResults } from "./describe-save.ts";
import { unlessStored, unsentOf } from "./lost-responses.ts";
import type { SaveError } from "./save-error.ts";
import type { Save } from "./save.ts";

/** What a save reports: one result for each entity, what earlier saves left in doubt first, then the changes in order. */
export function resultsOf(save: Save): readonly SaveResult[] {
  const { outcomes = [], changes } = save;
  const others = unsentOf(save);
  if (others.length === 0 && isInOrder(outcomes, changes)) return outcomes.map(({ result }) => result);
  const sent = new Map(outcomes.map(({ change, result }) => [change.entry, result]));
  return [
    ...others.filter(({ entry }) => !sent.has(entry)).map(({ result }) => result),
    ...changes.map(({ entry }) => sent.get(entry) as SaveResult),
  ];
}

/** Whether outcomes are of the changes one by one, as they are where nothing was moved or answered out of turn. */
const isInOrder = (outcomes: readonly Outcome[], changes: readonly ChangeSet[]): boolean =>
  outcomes.length === changes.length && outcomes.every(({ change }, i) => change === changes[i]);

/** The error of a save that was refused before sending, with what it found out before that. */
export function withFound(error: SaveError, save: Save): SaveError {
  const named = new Set(error.results.map(({ entity }) => entity));
  const others = unsentOf(save).filter(({ result }) => !named.has(result.entity));
  const all = others.length === 0 ? error.results : [...others.map(({ result }) => result), ...error.results];
  const results = unlessStored(save, all);
  return results === error.results ? error : withResults(error, results);
}
