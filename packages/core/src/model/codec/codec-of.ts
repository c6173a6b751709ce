import type { StoredEntity } from "../../values/edm/stored-entity.ts";
import type { EntityModel, VersionModel } from "../declaration/entity-model.ts";
import { perModel } from "../declaration/per-model.ts";
import { compileCodec, compileOlderReader } from "./compile-codec.ts";
import { decodeRow } from "./decode-entity.ts";
import type { DecodedEntity, EntityCodec } from "./entity-codec.ts";
import { loopCodec } from "./loop-codec.ts";
import { olderLayoutOf } from "./older-layout.ts";
import type { LoadedProperties } from "./snapshot.ts";

/** The codec of a class: compiled, or a loop over its properties where the runtime refuses to compile text. */
export const codecOf: (model: EntityModel) => EntityCodec = perModel((model) => {
  const codec = compileCodec(model) ?? loopCodec(model);
  const layout = olderLayoutOf(model);
  const readOlder = layout && compileOlderReader(model, layout);
  return readOlder === undefined ? codec : { ...codec, readTracked: readingFirst(model, readOlder, codec) };
});

/** Reads rows of the oldest supported version in their own form. The upgrade reads all others, and reports errors. */
function readingFirst(
  model: EntityModel,
  readOlder: (row: StoredEntity) => DecodedEntity | undefined,
  codec: EntityCodec,
): EntityCodec["readTracked"] {
  const { storedName, lowest } = model.version as VersionModel;
  return (row) => {
    if (row[storedName] !== lowest) return codec.readTracked(row);
    try {
      return readOlder(row) ?? codec.readTracked(row);
    } catch {
      return codec.readTracked(row);
    }
  };
}

/**
 * Builds an instance from a stored entity, and its snapshot.
 *
 * @param loaded - the selected properties; the rest stay undefined
 * @throws SerializationError or KeyError naming class, property and row, when the stored data does not match the
 *   class
 */
export const decodeEntity = (
  model: EntityModel,
  row: StoredEntity,
  loaded: LoadedProperties,
): DecodedEntity => (loaded === undefined ? codecOf(model).readTracked(row) : decodeRow(model, row, loaded));
