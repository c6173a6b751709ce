import type { StoredEntity } from "../../values/edm/stored-entity.ts";
import type { EntityModel } from "../declaration/entity-model.ts";
import { perModel } from "../declaration/per-model.ts";
import { compileCodec } from "./compile-codec.ts";
import { decodeRow } from "./decode-entity.ts";
import type { DecodedEntity, EntityCodec } from "./entity-codec.ts";
import { loopCodec } from "./loop-codec.ts";
import type { LoadedProperties } from "./snapshot.ts";

/** The codec of a class: compiled, or a loop over its properties where the runtime refuses to compile text. */
export const codecOf: (model: EntityModel) => EntityCodec = perModel(
  (model) => compileCodec(model) ?? loopCodec(model),
);

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
