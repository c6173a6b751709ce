import { SerializationError } from "../errors/serialization-error.ts";
import { mismatch, type Serializer } from "./serializer.ts";

/** 64 KiB. Source: learn.microsoft.com "Understanding the Table service data model". */
export const maxBinaryBytes = 65_536;
/** Whether a text is base64 as the service writes it: standard alphabet, padded. */
export const isBase64 = (text: string): boolean => base64.test(text);

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Binary: a `Uint8Array` of at most 65,536 bytes; base64 on the wire. */
export const binarySerializer: Serializer<Uint8Array> = {
  name: "Binary",
  edm: "Edm.Binary",
  isVerbatim: false,
  encode(value, path) {
    if (!(value instanceof Uint8Array)) throw SerializationError.wrongType(path, "a Uint8Array", value);
    if (value.byteLength > maxBinaryBytes)
      throw SerializationError.tooLarge(path, value.byteLength, maxBinaryBytes, "bytes");
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64");
  },
  isAnnotated: () => true,
  decode(stored, annotation, path) {
    if (annotation !== "Edm.Binary") throw mismatch(binarySerializer, stored, annotation, path);
    if (typeof stored !== "string" || !isBase64(stored))
      throw SerializationError.malformed(path, "base64 text");
    // A copy: short Buffers share a pool, and its memory must not show through `.buffer`.
    return new Uint8Array(Buffer.from(stored, "base64"));
  },
  isUnchanged(stored, value) {
    if (!(value instanceof Uint8Array) || typeof stored !== "string") return false;
    return Buffer.from(stored, "base64").equals(value);
  },
};
