import { checkCopy } from "../values/errors/second-copy.ts";
import type { TableStorage } from "./table-storage.ts";

/** State that all users of one storage share during its lifetime. Each layer has its own entry. */
export class SharedState {
  readonly made: unknown[] = [];
}

const states = new WeakMap<TableStorage, SharedState>();

/** @throws TypeError for a storage from another copy of this package */
export function sharedStateOf(storage: TableStorage): SharedState {
  let found = states.get(storage);
  if (found !== undefined) return found;
  checkCopy(storage, "The storage");
  states.set(storage, (found = new SharedState()));
  return found;
}

/** The state of a storage, if it has any yet. */
export const findSharedState = (storage: TableStorage): SharedState | undefined => states.get(storage);

let places = 0;

/** The state of one layer for a storage; created on first use. */
export function sharedBy<Made extends object>(make: () => Made): (state: SharedState) => Made {
  const place = places++;
  return ({ made }) => (made[place] ??= make()) as Made;
}
