import type { EntityKey } from "../edm/stored-entity.ts";
import type { EntityModel } from "../model/entity-model.ts";

/** Removed rows that are remembered: more than any page holds. */
const maxRemoved = 10_000;

/** The rows that a context has removed: a page that was asked for before that may still have them. */
export class RemovedRows {
  readonly #revisions = new Map<string, number>();

  /** The context's revision when it removed a row; 0 for one that it did not remove. */
  revisionOf(model: EntityModel, key: EntityKey): number {
    return this.#revisions.size === 0 ? 0 : (this.#revisions.get(idOf(model, key)) ?? 0);
  }

  add(model: EntityModel, key: EntityKey, revision: number): void {
    this.#revisions.set(idOf(model, key), revision);
    // Only pages that are on their way have rows long gone: the oldest are dropped.
    const [oldest] = this.#revisions.keys();
    if (this.#revisions.size > maxRemoved && oldest !== undefined) this.#revisions.delete(oldest);
  }
}

const idOf = ({ table }: EntityModel, { partitionKey, rowKey }: EntityKey): string =>
  `${table.toLowerCase()}\0${partitionKey}\0${rowKey}`;
