import { warnOnce } from "../../values/errors/warn-once.ts";
import { type EntityModel, writtenIndexes } from "../../model/declaration/entity-model.ts";
import type { IndexOfClass, IndexStates, KnownIndexState } from "../../model/schema/index-states.ts";
import type { Save } from "./save-state.ts";

/**
 * Warns once about a unique index that has not been built: it lacks rows that were stored before it was declared, so
 * a save does not notice that such a row has the same value.
 */
export async function checkUniqueIndexes({ ready, source, options }: Save): Promise<void> {
  const { indexStates: states } = source;
  for (const model of new Set(ready.map(({ entry }) => entry.model))) {
    if (!isUncertainlyUnique(states, model)) continue;
    const unique = uniqueIndexesOf(model);
    // Whether storage can be reached, the save itself finds out.
    await states.askOnce(unique, options.signal)?.catch(() => undefined);
    for (const each of unique) if (isUnbuilt(states.stateOf(each))) warn(each);
  }
}

/** Whether a class has a unique index that is not known to have been built. */
const isUncertainlyUnique = (states: IndexStates, model: EntityModel): boolean =>
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
