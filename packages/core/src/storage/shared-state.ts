import { checkCopy } from "../values/errors/second-copy.ts";
import type { TableStorage } from "./table-storage.ts";

/** State shared by all users of one storage for as long as it lives: each layer has its own entry here. */
export class SharedState {
  readonly made: unknown[] = [];
}

const states = new WeakMap<TableStorage, SharedState>();

/** @throws TypeError for a storage of another copy of this package */
export function sharedStateOf(storage: TableStorage): SharedState {
  let found = states.get(storage);
  if (found !== undefined) return found;
  checkCopy(storage, "The storage");
  states.set(storage, (found = new SharedState()));
  return found;
}

/** The state of a storage that has been used, or has an engine. */
export const findSharedState = (storage: TableStorage): SharedState | undefined => states.get(storage);

let places = 0;

/** The state that a layer shares among all users of a storage; created on first use. */
export function sharedBy<Made extends object>(make: () => Made): (state: SharedState) => Made {
  const place = places++;
  return ({ made }) => (made[place] ??= make()) as Made;
}
