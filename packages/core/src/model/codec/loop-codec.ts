import { isAbsent } from "./is-absent.ts";
import type { SnapshotValue } from "../../values/edm/serializer.ts";
import type { EntityKey } from "../../values/edm/stored-entity.ts";
import type { EntityModel, PropertyModel } from "../declaration/entity-model.ts";
import { maxEntityBytes, maxProperties } from "../../storage/limits.ts";
import { printEntity } from "../../values/edm/print-entity.ts";
import { changesFrom } from "./comparison.ts";
import { decodeRow } from "./decode-entity.ts";
import { checkGiven, valueIn } from "./embedded-values.ts";
import { limitPassed } from "./encode-entity.ts";
import type { EncodedEntity, EntityCodec } from "./entity-codec.ts";
import { sizeOfImage } from "./row-layout.ts";
import { restoreStored, sizeOfSnapshot } from "./snapshot.ts";

/**
 * The codec of a class as loops over its properties: for runtimes that compile no text, and as the reference that
 * tests compare the compiled one with.
 */
export const loopCodec = (model: EntityModel): EntityCodec => ({
  readTracked: (row) => decodeRow(model, row, undefined),
  write: (entity, key) => write(model, entity, key),
  print: (into, key, values) => into.utf8(printEntity(restoreStored(model, key, { values }))),
  printMembers: (into, values) =>
    into.utf8(printEntity(restoreStored(model, noKey, { values })).slice(printedKeys.length)),
  changes: (entity, values, known) => changesFrom(model, entity, values, known),
  size: (keyLength, snapshot) => sizeOfSnapshot(model, keyLength, snapshot),
});

const noKey: EntityKey = { partitionKey: "", rowKey: "" };
/** The prefix of every row, with empty keys. */
const printedKeys = '{"PartitionKey":"","RowKey":""';

function write(model: EntityModel, entity: object, key: EntityKey): EncodedEntity {
  const source = entity as Readonly<Record<string, unknown>>;
  const { properties } = model;
  const values: SnapshotValue[] = model.noValues.slice();
  let { bytes, count } = sizeOfImage(model);
  bytes += 2 * (key.partitionKey.length + key.rowKey.length);
  for (let i = 0; i < properties.length; i++) {
    const property = properties[i] as PropertyModel;
    const { serializer, path, overheadBytes } = property;
    const value = valueIn(property, source);
    if (!isAbsent(property, value)) {
      const encoded = serializer.encode(value, path);
      const annotation = serializer.isAnnotated(encoded) ? serializer.edm : undefined;
      values[i] = serializer.keep(encoded, value, annotation);
      bytes += overheadBytes + serializer.sizeOf(encoded);
      count++;
    } else checkGiven(property, entity);
  }
  if (count > maxProperties || bytes > maxEntityBytes) throw limitPassed(model, key, { bytes, count });
  return { values, bytes };
}
