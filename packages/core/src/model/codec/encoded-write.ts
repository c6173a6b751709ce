import type { SnapshotValue } from "../../values/edm/serializer.ts";
import type { EntityKey, StoredEntity } from "../../values/edm/stored-entity.ts";
import { maxStringLength } from "../../values/edm/string.ts";
import type { EntityModel, IndexModel } from "../declaration/entity-model.ts";
import type { ByteWriter } from "../../values/edm/byte-writer.ts";
import { EncodedWrite, type NewRowWrite, type WriteOperation } from "../../storage/write-operation.ts";
import { codecOf } from "./codec-of.ts";
import { completeSnapshot, restoreStored } from "./snapshot.ts";

/** Creates the write of a row from values that were just encoded. */
export const writeOf = (
  type: EncodedWrite["type"],
  model: EntityModel,
  key: EntityKey,
  values: readonly SnapshotValue[],
): NewRowWrite =>
  hasStorableKind(model)
    ? new WriteOfValues(type, key, model, values)
    : { type, entity: rowOf(model, key, values) };

/** Whether a row can hold the name of its kind, which is stored as declared; storage refuses other names. */
const hasStorableKind = ({ kind }: EntityModel): boolean =>
  kind === undefined || (kind.name.length <= maxStringLength && kind.name.isWellFormed());

/**
 * The write of an entity's copy in an index, which a storage need not prepare again; undefined if the copy is another
 * row than the one that is written for the entity.
 */
export const copyOfWrite = (
  operation: WriteOperation,
  index: IndexModel,
  rowKey: string,
): WriteOperation | undefined => (WriteOfValues.is(operation) ? operation.copyIn(index, rowKey) : undefined);

const rowOf = (model: EntityModel, key: EntityKey, values: readonly SnapshotValue[]): StoredEntity =>
  restoreStored(model, key, completeSnapshot(values));

/** A row as snapshot values: the encoded values are sent, even if the entity changes meanwhile. */
class WriteOfValues extends EncodedWrite {
  readonly #model: EntityModel;
  readonly #values: readonly SnapshotValue[];

  constructor(
    type: EncodedWrite["type"],
    key: EntityKey,
    model: EntityModel,
    values: readonly SnapshotValue[],
  ) {
    super(type, key);
    this.#model = model;
    this.#values = values;
  }

  static override is(operation: object): operation is WriteOfValues {
    return #values in operation;
  }

  /** The same row in an index that copies all of it; undefined where the copy has a kind of its own. */
  copyIn({ copy, rows }: IndexModel, rowKey: string): WriteOfValues | undefined {
    if (copy !== "all" || this.type === "upsert-merge" || rows.kind !== undefined) return undefined;
    const key = { partitionKey: this.key.partitionKey, rowKey };
    return new WriteOfValues("upsert-replace", key, rows, this.#values);
  }

  override print(into: ByteWriter): void {
    codecOf(this.#model).print(into, this.key, this.#values);
  }

  override printMembers(into: ByteWriter): void {
    codecOf(this.#model).printMembers(into, this.#values);
  }

  protected override toStored(): StoredEntity {
    return rowOf(this.#model, this.key, this.#values);
  }
}
