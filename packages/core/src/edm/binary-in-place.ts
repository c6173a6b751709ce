import type * as Zlib from "node:zlib";
import { binarySerializer, latin1Of } from "./binary.ts";
import { packedLength } from "./packed-bytes.ts";
import type { Kept, Serializer } from "./serializer.ts";

/** What a snapshot keeps of a long value that nobody copies: the array, and a sum that shows when its bytes were changed. */
export class BytesInPlace {
  readonly bytes: Uint8Array;
  readonly #length: number;
  readonly #sum: number;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.#length = bytes.byteLength;
    this.#sum = sumOf(bytes);
  }

  /** Whether these are the bytes that it was made of. */
  hasBytes(bytes: Uint8Array): boolean {
    return bytes.byteLength === this.#length && sumOf(bytes) === this.#sum;
  }
}

/** When it is needed first: programs whose values are short do without the module. */
let crc32: typeof Zlib.crc32 | undefined;

function sumOf(bytes: Uint8Array): number {
  crc32 ??= process.getBuiltinModule("node:zlib").crc32;
  return crc32(bytes);
}

/** What is kept of a value: of a short one its bytes as text, which takes less than an array. */
export const keptInPlace = (bytes: Uint8Array): Kept =>
  bytes.byteLength < packedLength ? latin1Of(bytes) : new BytesInPlace(bytes);

/** Binary whose long values are neither copied when they are read nor when they are written. */
export const binaryInPlaceSerializer: Serializer<Uint8Array> = {
  ...binarySerializer,
  keep: (_stored, value) => keptInPlace(value),
  restore: (kept, path) =>
    kept instanceof BytesInPlace
      ? binarySerializer.encode(kept.bytes, path)
      : binarySerializer.restore(kept, path),
  sizeOfKept: (kept) =>
    kept instanceof BytesInPlace ? kept.bytes.byteLength + 4 : (kept as string).length + 4,
  isUnchanged: (kept, value) =>
    kept instanceof BytesInPlace
      ? value instanceof Uint8Array && kept.hasBytes(value)
      : binarySerializer.isUnchanged(kept, value),
};
