// A class with `formerKeys` has rows under two keys while they are moved. `find`, queries, saves and `moveRows` of
// `@partita/maintenance` call this file: it finds the former key of an entity, and turns a row under its former key
// into the same row under its present one.

import type { EntityKey, StoredEntity, StoredEntityDraft } from "../../values/edm/stored-entity.ts";
import { isSameKey } from "../../values/keys/is-same-key.ts";
import { TableError } from "../../values/errors/table-error.ts";
import { checkFormerKeys } from "../declaration/check-former-keys.ts";
import type { EntityClass } from "../declaration/entity-definition.ts";
import { type EntityModel, type PropertyModel, rowProperty } from "../declaration/entity-model.ts";
import { kindsBelow, modelOf } from "../declaration/model-registry.ts";
import { perModel } from "../declaration/per-model.ts";
import { currentRow } from "./current-row.ts";
import { decodeEntity } from "./codec-of.ts";
import { assignKeys } from "./decode-entity.ts";
import { keyOfEntity, keysOfEntity } from "./entity-key.ts";
import { isEntityRow, keyOfStored } from "./row-layout.ts";
import { putEncoded } from "./snapshot.ts";

/** The value of `_row` in a row that is on its way to another partition: all of it is there, and it is read under its present key. */
export const movedRow = "moved";

/** The value of `_row` in an empty row that reserves the present key until the moved row takes its place. */
export const reservedRow = "reserved";

/** Whether a row under a former key is an entity, also while it is moved. */
export const isFormerRow = (row: StoredEntity): boolean => isEntityRow(row) || row[rowProperty] === movedRow;

/** The former keys of a class. */
export class FormerKeys {
  /** The former class. */
  readonly model: EntityModel;
  readonly #present: EntityModel;
  readonly #keyOf: ((old: object) => object) | undefined;
  /** Properties of the former class that are stored there, and part of the present key. */
  readonly #becomeKeys: readonly PropertyModel[];
  /** Properties of the former class that are stored there, and that the present key is made of. */
  readonly #sources: readonly PropertyModel[];
  /** Stored properties of the present class that were part of the former key. */
  readonly #becomeStored: readonly PropertyModel[];

  /** @param keyOf - the values of the present key; those of the same names when absent */
  constructor(present: EntityModel, former: EntityModel, keyOf?: (old: object) => object) {
    this.model = former;
    this.#present = present;
    this.#keyOf = keyOf;
    const wasKey = new Set(former.keyProperties.map(({ name }) => name));
    const isKey = new Set(present.keyProperties.map(({ name }) => name));
    const isSource = new Set(present.derivedParts.map(({ part }) => part.property));
    this.#becomeKeys = former.properties.filter(({ name }) => isKey.has(name));
    this.#sources = former.properties.filter(({ name }) => isKey.has(name) || isSource.has(name));
    this.#becomeStored = present.properties.filter(({ name }) => wasKey.has(name));
  }

  /** Whether the present class is in the table of the former one. */
  get isSameTable(): boolean {
    return this.model.table.toLowerCase() === this.#present.table.toLowerCase();
  }

  /** The former keys that a row of these values may have; none where they are the present ones. */
  keysOf(values: object): readonly EntityKey[] {
    const keys = keysOfEntity(this.model, values);
    return this.isSameTable ? keys.filter((key) => !this.isPresent(key)) : keys;
  }

  /** The former keys of the entity with a present key. */
  keysAt({ partitionKey, rowKey }: EntityKey): readonly EntityKey[] {
    const values = {};
    assignKeys(this.#present, { PartitionKey: partitionKey, RowKey: rowKey }, values);
    return this.keysOf(values);
  }

  /** The present key of a row. @throws KeyError or SerializationError for a row that is none of the former class */
  presentKey(row: StoredEntity): EntityKey {
    const values = this.#valuesOf(row);
    return keyOfEntity(this.#present, this.#keyOf?.(values) ?? values);
  }

  /** The row under its present key, in its own version and with its undeclared properties; its ETag is that of the former row. */
  presentRow(row: StoredEntity): StoredEntity {
    const { partitionKey, rowKey } = this.presentKey(row);
    const { [rowProperty]: _mark, ...rest } = row;
    const moved: StoredEntityDraft = { ...rest, PartitionKey: partitionKey, RowKey: rowKey };
    for (const { storedName, annotationName } of this.#becomeKeys) {
      delete moved[storedName];
      delete moved[annotationName];
    }
    const values = this.#becomeStored.length === 0 ? {} : this.#valuesOf(row);
    for (const property of this.#becomeStored) putEncoded(property, values[property.name], moved);
    return moved;
  }

  /** Whether a key is written as the present class writes it. */
  isPresent(key: EntityKey): boolean {
    return isKeyOf(this.#present, key);
  }

  /** Whether a row of the table is under its former key: an entity, or on its way to another partition. */
  holds(row: StoredEntity): boolean {
    if (!isFormerRow(row)) return false;
    const key = keyOfStored(row);
    return !this.isSameTable || (!this.isPresent(key) && isKeyOf(this.model, key));
  }

  /** The values of a row of the former class that the present key needs. */
  #valuesOf(row: StoredEntity): Readonly<Record<string, unknown>> {
    if (this.#keyOf !== undefined)
      return decodeEntity(this.model, { ...row, [rowProperty]: undefined } as never, undefined)
        .entity as Record<string, unknown>;
    const values: Record<string, unknown> = {};
    assignKeys(this.model, row, values);
    if (this.#sources.length === 0) return values;
    const current = currentRow(this.model, row);
    for (const { name, storedName, annotationName, serializer, path } of this.#sources) {
      const found = current[storedName];
      if (found !== undefined) values[name] = serializer.decode(found, current[annotationName], path);
    }
    return values;
  }
}

/** Whether a key reads back as one of a class. Parts that are made of stored properties are not compared. */
function isKeyOf(model: EntityModel, key: EntityKey): boolean {
  try {
    const values: Record<string, unknown> = {};
    assignKeys(model, { PartitionKey: key.partitionKey, RowKey: key.rowKey }, values);
    if (model.derivedParts.some(({ part }) => !Object.hasOwn(values, part.property ?? ""))) return true;
    return keysOfEntity(model, values).some((own) => isSameKey(own, key));
  } catch (error) {
    if (TableError.is(error)) return false;
    throw error;
  }
}

const known = perModel((model): { readonly former: FormerKeys | undefined } => ({ former: formerOf(model) }));

/** The former keys of a class; undefined where it declares none. */
export const formerKeysOf = (model: EntityModel): FormerKeys | undefined =>
  model.options.formerKeys === undefined ? undefined : known(model).former;

/** Of kinds, each has the former kind of its name. */
function formerOf(model: EntityModel): FormerKeys | undefined {
  const former = sameKind(model, model.options.formerKeys as EntityClass);
  if (former === undefined) return undefined;
  checkFormerKeys(model, former);
  return new FormerKeys(model, former);
}

/** The model of a class, or of a kind below it, that has the same kind as another model. */
export const sameKind = ({ kind }: EntityModel, among: EntityClass): EntityModel | undefined =>
  [modelOf(among), ...kindsBelow(among).values()].find((model) => model.kind?.name === kind?.name);
