import type { EntityKey } from "../edm/stored-entity.ts";
import type { EntityModel } from "../model/entity-model.ts";
import type { TrackedEntity } from "./tracked-entity.ts";

/** Removed rows that are remembered: more than any page holds. */
const maxRemoved = 10_000;

/** The rows that a context has removed: a page that was asked for before that may still have them. */
export class RemovedRows {
  /** Those that a late upsert may store again. */
  late: readonly TrackedEntity[] = [];
  readonly #revisions = new Map<string, number>();

  /** Whether a row was removed after this revision of the context. */
  hasSince(model: EntityModel, key: EntityKey, revision: number): boolean {
    return this.#revisions.size > 0 && (this.#revisions.get(idOf(model, key)) ?? 0) > revision;
  }

  /** @param revision - of the context, now that it is removed */
  add(entry: TrackedEntity, revision: number): void {
    if (entry.late.length > 0) this.late = [...this.late, entry];
    this.#revisions.set(idOf(entry.model, entry.key), revision);
    // Only pages that are on their way have rows long gone: the oldest are dropped.
    const [oldest] = this.#revisions.keys();
    if (this.#revisions.size > maxRemoved && oldest !== undefined) this.#revisions.delete(oldest);
  }
}

const idOf = ({ table }: EntityModel, { partitionKey, rowKey }: EntityKey): string =>
  `${table.toLowerCase()}\0${partitionKey}\0${rowKey}`;
