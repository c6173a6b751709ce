import { brand, hasBrand } from "../errors/brand.ts";
import { isUint8Array } from "../errors/built-ins.ts";
import { type PropertyPath, SerializationError } from "../errors/serialization-error.ts";
import { latin1Of } from "./base64.ts";
import { binaryFromBytes, binarySerializer, readBinaryInPlace } from "./binary.ts";
import type { ValueCode } from "./value-code.ts";
import { packedLength } from "./packed-bytes.ts";
import type { SnapshotValue, Serializer } from "./serializer.ts";

/**
 * The snapshot value of a long value in a new entity, which is not copied: the entity's own array. Its bytes must not
 * change. That is checked whenever the snapshot is used as the stored value.
 */
class BytesInPlace {
  static {
    brand(this, "BytesInPlace");
  }

  /** Whether a value is one, from any copy of this package. */
  static is(value: unknown): value is BytesInPlace {
    return hasBrand(value, this);
  }

  readonly #bytes: Uint8Array;
  readonly #path: PropertyPath;
  readonly length: number;
  readonly #sum: number;

  constructor(bytes: Uint8Array, path: PropertyPath) {
    this.#bytes = bytes;
    this.#path = path;
    this.length = bytes.byteLength;
    this.#sum = sumOf(bytes);
  }

  /** The bytes to send. @throws SerializationError `edm.changed-in-place` if their memory was transferred */
  get sent(): Uint8Array {
    if (this.#bytes.byteLength !== this.length) throw SerializationError.changedInPlace(this.#path);
    return this.#bytes;
  }

  /** The original bytes. @throws SerializationError `edm.changed-in-place` if they changed */
  get stored(): Uint8Array {
    if (!this.#isAsItWas()) throw SerializationError.changedInPlace(this.#path);
    return this.#bytes;
  }

  /** Whether these are the bytes that it was made of. */
  hasBytes(bytes: Uint8Array): boolean {
    return this.#isAsItWas() && (bytes === this.#bytes || Buffer.compare(bytes, this.#bytes) === 0);
  }

  #isAsItWas(): boolean {
    return this.#bytes.byteLength === this.length && sumOf(this.#bytes) === this.#sum;
  }
}

/**
 * A hash of bytes: each step mixes all bits of the previous one. A linear checksum such as CRC-32 is the same for all
 * bytes that end with their own checksum, as frames and records do.
 */
function sumOf(bytes: Uint8Array): number {
  const { byteLength } = bytes;
  const view = new DataView(bytes.buffer, bytes.byteOffset, byteLength);
  const whole = byteLength - (byteLength % 4);
  let hash = byteLength;
  for (let at = 0; at < whole; at += 4) {
    hash = Math.imul(hash ^ view.getInt32(at, true), 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  for (let at = whole; at < byteLength; at++) hash = Math.imul(hash ^ view.getUint8(at), 0x01000193);
  return hash;
}

/**
 * The snapshot value of bytes that are sent with a new entity. Short ones become text, which takes less memory than an
 * array.
 */
const sentInPlace = (bytes: Uint8Array, path: PropertyPath): SnapshotValue =>
  bytes.byteLength < packedLength ? latin1Of(bytes) : new BytesInPlace(bytes, path);

const code = binarySerializer.code as ValueCode;

/** Binary that doesn't copy long values, neither when it reads them nor when it sends them. */
export const binaryInPlaceSerializer: Serializer<Uint8Array> = {
  ...binarySerializer,
  code: {
    ...code,
    names: { ...code.names, BytesInPlace, sentInPlace, readBinaryInPlace },
    fromBytes: (id) => binaryFromBytes(id, "readBinaryInPlace"),
    toSnapshotValue: { ...code.toSnapshotValue, sent: (path) => `sentInPlace(v, ${path})` },
    toBytes: { ...code.toBytes, test: `typeof v === "string" || BytesInPlace.is(v)` },
  },
  restore: (snapshotValue, path) =>
    BytesInPlace.is(snapshotValue)
      ? binarySerializer.encode(snapshotValue.stored, path)
      : binarySerializer.restore(snapshotValue, path),
  sizeOfSnapshotValue: (snapshotValue) => (snapshotValue as string | BytesInPlace).length + 4,
  isUnchanged: (snapshotValue, value) =>
    BytesInPlace.is(snapshotValue)
      ? isUint8Array(value) && snapshotValue.hasBytes(value)
      : binarySerializer.isUnchanged(snapshotValue, value),
};
