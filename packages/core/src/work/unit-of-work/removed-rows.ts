import type { EntityKey } from "../../values/edm/stored-entity.ts";
import { partitionId } from "../../values/keys/key-rules.ts";
import type { EntityModel } from "../../model/declaration/entity-model.ts";
import type { TrackedEntity } from "./tracked-entity.ts";

/** Minimum number of deleted rows that are remembered: more than any page has. */
const minRemembered = 10_000;

/** The rows that a context has deleted: a page that was requested before may still contain them. */
export class RemovedRows {
  /**
   * In two generations; the older one is dropped as a unit, because finding the oldest key of one Map means skipping
   * all its deleted slots.
   */
  #young: Map<string, number> | undefined;
  #old: ReadonlyMap<string, number> | undefined;

  /** Whether a row was deleted after this revision of the context. */
  hasSince(model: EntityModel, key: EntityKey, revision: number): boolean {
    if (this.#young === undefined) return false;
    const id = idOf(model, key);
    return (this.#young.get(id) ?? this.#old?.get(id) ?? 0) > revision;
  }

  /** @param revision - of the context, now that the row is deleted */
  add(entry: TrackedEntity, revision: number): void {
    // Rows deleted long ago can only appear in pages that are still being read: the oldest are dropped.
    if (this.#young?.size === minRemembered) {
      this.#old = this.#young;
      this.#young = undefined;
    }
    this.#young ??= new Map();
    this.#young.set(idOf(entry.model, entry.key), revision);
  }
}

const idOf = ({ table }: EntityModel, { partitionKey, rowKey }: EntityKey): string =>
  `${partitionId(table, partitionKey)}\0${rowKey}`;
