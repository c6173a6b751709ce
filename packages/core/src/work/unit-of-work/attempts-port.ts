import type { EntityKey, StoredEntity } from "../../values/edm/stored-entity.ts";
import type { EntityModel } from "../../model/declaration/entity-model.ts";

/** The row of an entity. */
export interface RowOfEntity {
  readonly model: EntityModel;
  readonly key: EntityKey;
}

/**
 * The undecided outcomes of lost responses. `recovery/` records them by row and not by entity: another instance may
 * take the key. The unit of work asks whether an entity is in doubt, and reports the events that decide it.
 */
export interface LostResponses {
  /** Whether no response is lost: most contexts never lose one, and ask nothing else. */
  readonly isEmpty: boolean;
  /** Whether a request that was sent for a row may have been applied, or may yet be. */
  isOpen(row: RowOfEntity): boolean;
  /**
   * Whether a change of this very entity was sent and may be stored, even if nothing more can be found out about it.
   */
  mayBeStored(entity: RowOfEntity): boolean;
  /** Whether a save has to look at a row, because of a request that was sent for it. */
  hasWork(row: RowOfEntity): boolean;
  /** An entity took its row over, without its edits; `stored` is undefined where there is no row. */
  reread(row: RowOfEntity, stored: StoredEntity | undefined): void;
  /** The program gave up the change of an entity. */
  giveUp(row: RowOfEntity): void;
  /** The program gave up every entity. */
  giveUpAll(): void;
}
