import type { SnapshotValue } from "../../values/edm/serializer.ts";
import type { EntityKey, StoredEntity } from "../../values/edm/stored-entity.ts";
import type { ByteWriter } from "../../values/edm/byte-writer.ts";
import type { EntitySize } from "../../storage/limits.ts";
import type { Snapshot } from "./snapshot.ts";

/** An entity built from its row, and the form of the row that later changes are compared with. */
export interface DecodedEntity {
  readonly entity: object;
  readonly snapshot: Snapshot;
}

/** The snapshot values of a complete entity, which represent its row, and its size as the service counts it. */
export interface EncodedEntity {
  readonly values: readonly SnapshotValue[];
  readonly bytes: number;
}

/** The differences between an entity and its snapshot, by position in the model. */
export interface PropertyChanges {
  /** Properties with a new value. */
  readonly assigned: readonly number[];
  /** Stored properties that were set to undefined or null. */
  readonly cleared: readonly number[];
  /** Whether a part of the key is another one. */
  readonly isKeyChanged: boolean;
}

/** The key an entity is known under. */
export interface KnownKey extends EntityKey {
  /**
   * Its parts when they were read or added, each in a form that `===` compares; undefined if they are the keys' own
   * texts.
   */
  readonly keyValues: readonly unknown[] | undefined;
}

/** Turns complete rows into entities of one class and entities into rows, and finds the changes in between. */
export interface EntityCodec {
  /**
   * Builds an instance and its snapshot. Only declared properties are assigned: other names from the wire stay in the
   * snapshot. A property without a value in the row keeps the one that the constructor assigned.
   *
   * @throws SerializationError or KeyError naming class, property and row, when the stored data does not match the
   *   class
   */
  readTracked(row: StoredEntity): DecodedEntity;
  /**
   * Everything an entity stores: every declared property that has a value. Keys, kind and version are added when its
   * row is made.
   *
   * @throws SerializationError naming class and property, for values that cannot be stored and limits that are passed
   */
  write(entity: object, key: EntityKey): EncodedEntity;
  /** Writes the row of snapshot values as JSON, byte for byte like the stored entity that they represent. */
  print(into: ByteWriter, key: EntityKey, values: readonly SnapshotValue[]): void;
  /** Writes the members of that row after its keys, to its end: each with a comma before it. */
  printMembers(into: ByteWriter, values: readonly SnapshotValue[]): void;
  /**
   * Compares an entity with its snapshot values and its former key, decoded value by decoded value: a Date that was
   * read from a text of 7 digits is unchanged, and so is JSON with other spacing. A property that was not loaded
   * counts as changed once it has a value. Undefined where nothing differs.
   */
  changes(
    entity: Readonly<Record<string, unknown>>,
    values: readonly SnapshotValue[],
    known: KnownKey,
  ): PropertyChanges | undefined;
  /** The size of the stored entity of a snapshot, as the service counts it. */
  size(keyLength: number, snapshot: Snapshot): EntitySize;
}
