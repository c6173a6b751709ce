import { warnOnce } from "../../values/errors/warn-once.ts";
import { type EntityModel, type IndexModel, writtenIndexes } from "../../model/declaration/entity-model.ts";
import type { IndexOfClass } from "../../model/schema/index-states.ts";
import type { Save } from "./save-state.ts";

/**
 * Warns once about a unique index that has not been built: it lacks rows that were stored before it was declared, so
 * a save does not notice that such a row has the same value.
 */
export async function checkUniqueIndexes({ ready, source, options }: Save): Promise<void> {
  const { indexStates: states } = source;
  for (const model of new Set(ready.map(({ entry }) => entry.model))) {
    for (const index of model.indexes)
      if (index.isUnique && index.isUnread && index.former === undefined) warnOfSupport(model, index);
    const unique = writtenIndexes(model).flatMap((index) => (index.isUnique ? [{ model, index }] : []));
    if (unique.every((each) => states.stateOf(each) === "ready")) continue;
    // If storage cannot be reached, the save itself finds out.
    await states.askOnce(unique, options.signal)?.catch(() => undefined);
    for (const each of unique) {
      const state = states.stateOf(each);
      if (state === "building" || state === "unrecorded") warn(each);
    }
  }
}

const warnOfSupport = (model: EntityModel, index: IndexModel): void =>
  void warnOnce(
    index,
    "PARTITA_INDEX_NOT_BUILT",
    () =>
      `The unique index ${index.name} of ${model.name} is not enforced while ${model.name} supports version ${model.version?.lowest}, whose releases do not know the index. Build it once those releases have stopped.`,
  );

const warn = ({ model, index }: IndexOfClass): void =>
  void warnOnce(
    index,
    "PARTITA_INDEX_NOT_BUILT",
    () =>
      `The unique index ${index.name} of ${model.name} has not been built: values of rows that were stored before it was declared are not checked. Run partita index build, or buildIndex(storage, ${model.name}, "${index.name}").`,
  );
