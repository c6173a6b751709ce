import type { Kept } from "../edm/serializer.ts";
import type { EntityKey, StoredEntity } from "../edm/stored-entity.ts";
import type { ByteWriter } from "../storage/byte-writer.ts";
import type { Snapshot } from "./snapshot.ts";

/** An entity built from its row, and the row as what later changes are found against. */
export interface DecodedEntity {
  readonly entity: object;
  readonly snapshot: Snapshot;
}

/** The snapshot values of a whole entity, which stand for its row, and its size as the service counts it. */
export interface EncodedEntity {
  readonly values: readonly Kept[];
  readonly bytes: number;
}

/** What turns whole rows into entities of one class, and entities into rows. */
export interface EntityCodec {
  /**
   * Builds an instance that nobody tracks, for reading only.
   *
   * @param isStrict - whether a row without a value of a required property is an error
   * @throws SerializationError or KeyError naming class and property, when the stored data is not what the class declares
   */
  read(row: StoredEntity, isStrict: boolean): object;
  /**
   * Builds an instance and its snapshot. Only declared properties are assigned: other names from the wire stay in the
   * snapshot.
   *
   * @throws as `read` does
   */
  readTracked(row: StoredEntity, isStrict: boolean): DecodedEntity;
  /**
   * Everything an entity stores: every declared property that has a value. Keys, kind and version are added where its row is
   * made of it.
   *
   * @throws SerializationError naming class and property, for values that cannot be stored and limits that are passed
   */
  write(entity: object, key: EntityKey): EncodedEntity;
  /** Writes the row of snapshot values as JSON, byte for byte as the stored entity that they stand for is printed. */
  print(into: ByteWriter, key: EntityKey, values: readonly Kept[]): void;
}
