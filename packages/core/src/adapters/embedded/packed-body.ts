import { type PackedBytes, packedText } from "../../edm/packed-bytes.ts";
import { ByteWriter } from "../../storage/byte-writer.ts";

/*
 * The body of a row with packed bytes: its JSON, the bytes, and the length of the JSON in 4 bytes, little-endian, which are
 * followed by a zero. The body of any other row is its JSON, and ends with a brace.
 */

/** A body that was printed, and the JSON in it. */
interface PrintedBody {
  readonly body: Buffer;
  readonly json: Buffer;
  /** The length that the JSON has where nothing is packed: limits are of that. */
  readonly plainLength: number;
  /** As the writer says. */
  readonly mayHaveWireForms: boolean;
}

const trailerLength = 5;
const closingBrace = 0x7d;

/** A body as `print` prints its JSON. */
export function printBody(print: (into: ByteWriter) => void): PrintedBody {
  const parts: (string | Uint8Array)[] = [];
  let [dataLength, spared] = [0, 0];
  const takeBytes = (bytes: string | Uint8Array): string => {
    const text = packedText(dataLength, bytes.length);
    parts.push(bytes);
    dataLength += bytes.length;
    spared += base64Length(bytes.length) - text.length;
    return text;
  };
  const packed = (into: ByteWriter): void => {
    into.takeBytes = takeBytes;
    print(into);
  };
  return ByteWriter.use(packed, ({ buffer, length, mayHaveWireForms }) => {
    const hasData = parts.length > 0;
    // Short ones share memory, which takes a fraction of the time; long ones are freed alone.
    const body = Buffer.allocUnsafe(length + (hasData ? dataLength + trailerLength : 0));
    buffer.copy(body, 0, 0, length);
    let at = length;
    for (const part of parts) {
      if (typeof part === "string") body.write(part, at, "latin1");
      else body.set(part, at);
      at += part.length;
    }
    if (hasData) body.writeUInt8(0, body.writeUInt32LE(length, at));
    return { body, json: body.subarray(0, length), plainLength: length + spared, mayHaveWireForms };
  });
}

const base64Length = (bytes: number): number => 4 * Math.ceil(bytes / 3);

/**
 * The parts of a body with packed bytes; undefined for one that is JSON.
 *
 * @throws SyntaxError where the length is none
 */
export function packedBytesOf(body: Uint8Array): PackedBytes | undefined {
  if (body.length < trailerLength || body[body.length - 1] !== 0) return undefined;
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  const end = bytes.length - trailerLength;
  const length = bytes.readUInt32LE(end);
  if (length > end || bytes[length - 1] !== closingBrace)
    throw new SyntaxError("A row with packed bytes has no JSON.");
  return { json: bytes.subarray(0, length), data: bytes.subarray(length, end) };
}
