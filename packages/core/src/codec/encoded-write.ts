import type { Kept } from "../edm/serializer.ts";
import type { EntityKey, StoredEntity } from "../edm/stored-entity.ts";
import { maxStringLength } from "../edm/string.ts";
import type { EntityModel } from "../model/entity-model.ts";
import type { ByteWriter } from "../storage/byte-writer.ts";
import { EncodedWrite, type WriteOperation } from "../storage/write-operation.ts";
import { codecOf } from "./codec-of.ts";
import { wholeSnapshot } from "./snapshot.ts";

/** The write of a row whose values were encoded a moment ago. */
export const writeOf = (
  type: EncodedWrite["type"],
  model: EntityModel,
  key: EntityKey,
  values: readonly Kept[],
): WriteOperation =>
  hasStorableKind(model)
    ? new WriteOfValues(type, key, model, values)
    : { type, entity: rowOf(model, key, values) };

/** Whether a row can hold the name of its kind, which is stored as it was declared; the store refuses any other. */
export const hasStorableKind = ({ kind }: EntityModel): boolean =>
  kind === undefined || (kind.name.length <= maxStringLength && kind.name.isWellFormed());

const rowOf = (model: EntityModel, key: EntityKey, values: readonly Kept[]): StoredEntity =>
  codecOf(model).restore(key, wholeSnapshot(values));

/** A row as snapshot values: what is sent is what was encoded, whatever happens to the entity meanwhile. */
class WriteOfValues extends EncodedWrite {
  readonly #model: EntityModel;
  readonly #values: readonly Kept[];

  constructor(type: EncodedWrite["type"], key: EntityKey, model: EntityModel, values: readonly Kept[]) {
    super(type, key);
    this.#model = model;
    this.#values = values;
  }

  override print(into: ByteWriter): void {
    codecOf(this.#model).print(into, this.key, this.#values);
  }

  protected override toStored(): StoredEntity {
    return rowOf(this.#model, this.key, this.#values);
  }
}
