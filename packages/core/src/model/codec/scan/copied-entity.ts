import type { StoredEntity } from "../../../values/edm/stored-entity.ts";
import type { EntityModel, IndexModel } from "../../declaration/entity-model.ts";
import { entityRowOf, ownerOf } from "../index-rows.ts";
import { ScannedRow } from "./scanned-row.ts";

/** An entity that was read from its copy in an index. It has no version to write under. */
export class CopiedEntity extends ScannedRow {
  readonly #index: IndexModel;
  #rowKey: string | undefined;

  constructor(model: EntityModel, index: IndexModel, copy: ScannedRow) {
    const { partitionKey, foundKey, entity, snapshot, source, at } = copy;
    super(model, partitionKey, foundKey, undefined, entity, snapshot, source, at);
    this.#index = index;
  }

  override get rowKey(): string {
    const copy = { PartitionKey: this.partitionKey, RowKey: this.foundKey };
    return (this.#rowKey ??= ownerOf(this.model, this.#index, copy).rowKey);
  }

  override get row(): StoredEntity {
    return entityRowOf(this.model, this.#index, super.row);
  }
}
