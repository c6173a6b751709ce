import { asError } from "../../values/errors/built-ins.ts";
import { setImmediate as nextTurn } from "node:timers/promises";
import { subjectOf } from "../../model/codec/encode-entity.ts";
import { StateError } from "../../values/errors/state-error.ts";
import { runInside } from "../unit-of-work/hooks.ts";
import type { SaveResult } from "../unit-of-work/save-result.ts";
import type { TrackedEntity } from "../unit-of-work/tracked-entity.ts";
import { invalidSave } from "./describe-save.ts";
import { entriesOf, findReady, type Save, type SaveSource } from "./save-state.ts";
import type { SaveError } from "./save-error.ts";
import { refused } from "../recovery/unsent-results.ts";

/** Runs the `saving` hook for every pending entity. @throws SaveError `save.invalid` when it throws */
export async function runSavingHooks(save: Save): Promise<void> {
  const { context, hooks, tracker } = save.source;
  const { saving } = hooks;
  if (saving === undefined) return;
  // A hook may have changed any entity.
  const entries = (): TrackedEntity[] => entriesOf(findReady(save, true));
  const failed = (entry: TrackedEntity, error: Error): SaveError =>
    invalidSave(
      [refused(entry, error)],
      entries().filter((other) => other !== entry),
    );
  const pending = entriesOf(save.ready);
  const seen = new Set<TrackedEntity>();
  const most = tracker.entities.size + maxAddedByHooks;
  let round = 0;
  // A hook may add or change further entities: it then runs for those, too.
  for (let turn = pending; turn.length > 0; turn = entries().filter((entry) => !seen.has(entry))) {
    if (++round > maxHookRounds)
      throw failed(turn[0] as TrackedEntity, endless(turn[0] as TrackedEntity, round - 1));
    // Yield to other work, in case the hooks never wait.
    if (round > 1) await nextTurn();
    for (const entry of turn) {
      seen.add(entry);
      // The hook of another entity may have detached it.
      if (tracker.entities.ofEntity(entry.entity) !== entry) continue;
      try {
        await runInside(context, () => saving(entry.entity, tracker.stateOf(entry), context));
        if (tracker.entities.size > most) throw endless(entry, round);
      } catch (error) {
        throw failed(entry, asError(error));
      }
    }
  }
}

/** Maximum rounds of `saving` hooks that add or change further entities in one save. */
const maxHookRounds = 100;
/** Maximum number of entities that `saving` hooks may add in one save. */
const maxAddedByHooks = 100_000;

const endless = ({ model, key }: TrackedEntity, rounds: number): StateError =>
  new StateError(
    "context.saving-hook-endless",
    `The "saving" hook keeps adding or changing entities: it has done so in ${rounds} round(s), the last time for ${subjectOf(model, key)}, and would never end. Let it ignore entities that it has added or changed itself.`,
    { entity: model.name, rounds },
  );

/** Reports each result to the `saved` hook. */
export async function reportSaved(
  { context, hooks, lateErrors }: SaveSource,
  results: readonly SaveResult[],
): Promise<void> {
  const { saved } = hooks;
  if (saved === undefined) return;
  for (const result of results) {
    try {
      await runInside(context, () => saved(result));
    } catch (error) {
      lateErrors.push(error);
    }
  }
}
