import { warnOnce } from "../errors/warn-once.ts";
import { type EntityModel, writtenIndexes } from "../model/entity-model.ts";
import type { IndexOfClass, IndexStates, KnownIndexState } from "../schema/index-states.ts";
import type { RequestOptions } from "../storage/table-storage.ts";
import type { PendingEntity } from "../unit-of-work/change-set.ts";

/**
 * Says once that a unique index has not been built: rows that were stored before it was declared have no place in it, so a save
 * does not notice that one of them has the same value.
 */
export async function checkUniqueIndexes(
  states: IndexStates,
  pending: readonly PendingEntity[],
  { signal }: Pick<RequestOptions, "signal">,
): Promise<void> {
  for (const model of new Set(pending.map(({ entry }) => entry.model))) {
    if (!isUncertainlyUnique(states, model)) continue;
    const unique = uniqueIndexesOf(model);
    // Whether storage can be reached, the save itself finds out.
    await states.askOnce(unique, signal)?.catch(() => undefined);
    for (const each of unique) if (isUnbuilt(states.stateOf(each))) warn(each);
  }
}

/** Whether a class has a unique index that is not known to have been built. */
export const isUncertainlyUnique = (states: IndexStates, model: EntityModel): boolean =>
  model.indexes.length > 0 && uniqueIndexesOf(model).some((each) => states.stateOf(each) !== "ready");

const uniqueIndexesOf = (model: EntityModel): IndexOfClass[] =>
  writtenIndexes(model)
    .filter(({ isUnique }) => isUnique)
    .map((index) => ({ model, index }));

const isUnbuilt = (state: KnownIndexState): boolean => state === "building" || state === "unrecorded";

const warn = ({ model, index }: IndexOfClass): void =>
  void warnOnce(
    index,
    "PARTITA_INDEX_NOT_BUILT",
    () =>
      `The unique index ${index.name} of ${model.name} has not been built: values of rows that were stored before it was declared are not checked. Run partita index build, or buildIndex(storage, ${model.name}, "${index.name}").`,
  );
