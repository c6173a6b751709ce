import type { Kept } from "../edm/serializer.ts";
import type { EntityKey, StoredEntity } from "../edm/stored-entity.ts";
import { maxStringLength } from "../edm/string.ts";
import type { EntityModel, IndexModel } from "../model/entity-model.ts";
import type { ByteWriter } from "../storage/byte-writer.ts";
import {
  type DeleteOperation,
  EncodedWrite,
  isMerge,
  type WriteOperation,
} from "../storage/write-operation.ts";
import { codecOf } from "./codec-of.ts";
import { newWriteIds, type WriteIds } from "./row-layout.ts";
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

/**
 * The write of an entity's copy in an index, which a store needs not prepare once more; undefined where the copy is another
 * row than what is written of the entity.
 */
export const copyOfWrite = (
  operation: WriteOperation,
  index: IndexModel,
  rowKey: string,
): WriteOperation | undefined => (WriteOfValues.is(operation) ? operation.copyIn(index, rowKey) : undefined);

/** A write that stores a row. */
type RowWrite = Exclude<WriteOperation, DeleteOperation>;

/** The same write, whose row has an id for it, and the ids of the writes before it. */
export function identifiedWrite(operation: RowWrite, id: string, earlier: string): RowWrite {
  const ids = newWriteIds(id, earlier, isMerge(operation));
  return WriteOfValues.is(operation)
    ? operation.withIds(ids)
    : { ...operation, entity: { ...operation.entity, ...ids } };
}

/** The members of a written row that name its writes; others may be beside them. */
export const sentWriteIds = (operation: RowWrite): WriteIds =>
  WriteOfValues.is(operation) ? operation.ids : operation.entity;

const rowOf = (model: EntityModel, key: EntityKey, values: readonly Kept[]): StoredEntity =>
  codecOf(model).restore(key, wholeSnapshot(values));

const noModel = {} as EntityModel;
const noIds: WriteIds = {};
const closingBrace = 0x7d;

/** A row as snapshot values: what is sent is what was encoded, whatever happens to the entity meanwhile. */
class WriteOfValues extends EncodedWrite {
  /** One that is never dropped: without any, a major collection drops the hidden class, and the machine code that knows it. */
  // oxlint-disable-next-line no-unused-private-class-members -- see above
  static readonly #pinned = new WriteOfValues("insert", { partitionKey: "", rowKey: "" }, noModel, []);

  readonly #model: EntityModel;
  readonly #values: readonly Kept[];
  readonly ids: WriteIds;

  constructor(
    type: EncodedWrite["type"],
    key: EntityKey,
    model: EntityModel,
    values: readonly Kept[],
    ids: WriteIds = noIds,
  ) {
    super(type, key);
    this.#model = model;
    this.#values = values;
    this.ids = ids;
  }

  static override is(operation: object): operation is WriteOfValues {
    return #values in operation;
  }

  withIds(ids: WriteIds): WriteOfValues {
    return new WriteOfValues(this.type, this.key, this.#model, this.#values, ids);
  }

  /** The same row in an index that copies all of it; undefined where the copy has a kind of its own. */
  copyIn({ copy, rows }: IndexModel, rowKey: string): WriteOfValues | undefined {
    if (copy !== "all" || this.type === "upsert-merge" || rows.kind !== undefined) return undefined;
    const key = { partitionKey: this.key.partitionKey, rowKey };
    return new WriteOfValues("upsert-replace", key, rows, this.#values);
  }

  override print(into: ByteWriter): void {
    codecOf(this.#model).print(into, this.key, this.#values);
    this.#printIds(into);
  }

  override printMembers(into: ByteWriter): void {
    codecOf(this.#model).printMembers(into, this.#values);
    this.#printIds(into);
  }

  /** In the place of the brace that ends the row. Ids have no characters that JSON escapes. */
  #printIds(into: ByteWriter): void {
    if (this.ids === noIds) return;
    into.length--;
    for (const name in this.ids) into.ascii(`,"${name}":"${this.ids[name]}"`);
    into.byte(closingBrace);
  }

  protected override toStored(): StoredEntity {
    const row = rowOf(this.#model, this.key, this.#values);
    return this.ids === noIds ? row : Object.assign(row, this.ids);
  }
}
