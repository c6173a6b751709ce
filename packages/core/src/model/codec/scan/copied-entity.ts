import type { StoredEntity } from "../../../values/edm/stored-entity.ts";
import { type EntityModel, findIndex, type IndexModel } from "../../declaration/entity-model.ts";
import type { RowReader } from "../../../storage/row-reader.ts";
import type { KindChooser } from "../choose-kind.ts";
import { entityRowOf, ownerOf } from "../index-rows.ts";
import { rowReaderFor } from "./row-reader.ts";
import { ScannedRow } from "./scanned-row.ts";

/**
 * The reader for rows of an index that copies complete entities: its rows have every part of the entity's key, and
 * the properties at the same positions as the class. Undefined if it copies less, or if a row has to be parsed to
 * find its class.
 */
export function copyReaderFor(
  { models, kinds }: KindChooser,
  name: string,
  isTracked: boolean,
): RowReader | undefined {
  const rowsOf = (all: readonly EntityModel[]): EntityModel[] =>
    all.flatMap((model) => {
      const index = findIndex(model, name);
      return index?.copy === "all" ? [index.rows] : [];
    });
  return rowReaderFor({ models: rowsOf(models), kinds: rowsOf(kinds) }, isTracked);
}

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
