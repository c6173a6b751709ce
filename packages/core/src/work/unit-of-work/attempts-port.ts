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
  /** Whether no response is lost. Most contexts never lose one, and need nothing else. */
  readonly isEmpty: boolean;
  /** Whether a request for a row may have been applied, or may still be applied. */
  isOpen(row: RowOfEntity): boolean;
  /** Whether a change of this entity was sent and may be stored, even if nothing more can be found out about it. */
  mayBeStored(entity: RowOfEntity): boolean;
  /** Whether a save has to handle a row because of an earlier request. */
  hasWork(row: RowOfEntity): boolean;
  /** An entity accepted its stored row without its edits; `stored` is undefined if there is no row. */
  reread(row: RowOfEntity, stored: StoredEntity | undefined): void;
  /** The program dropped an entity's change. */
  giveUp(row: RowOfEntity): void;
  /** The program detached every entity. */
  giveUpAll(): void;
}
