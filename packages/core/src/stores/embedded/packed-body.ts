import { type PackedBytes, packedText } from "../../values/edm/packed-bytes.ts";
import { ByteWriter } from "../../values/edm/byte-writer.ts";
import type { EncodedWrite } from "../../storage/write-operation.ts";

/*
 * The body of a row with packed bytes: its JSON, the bytes, the length of the JSON in 4 bytes (little-endian), and a
 * zero. The body of any other row is its JSON, and ends with a brace.
 */

interface PrintedBody {
  readonly body: Buffer;
  readonly json: Buffer;
  /** The length of the JSON before packing, to which limits apply. */
  readonly plainLength: number;
  /** From the option of the writer. */
  readonly mayHaveWireForms: boolean;
}

const trailerLength = 5;
const closingBrace = 0x7d;

/** Long bytes of a row, which are stored after its JSON. */
class Packing {
  readonly parts: (string | Uint8Array)[] = [];
  /** Their total length. */
  length = 0;
  /** The characters saved by packing: the length of their base64 without the text that represents them. */
  spared = 0;

  readonly take = (bytes: string | Uint8Array): string => {
    const text = packedText(this.length, bytes.length);
    this.parts.push(bytes);
    this.length += bytes.length;
    this.spared += base64Length(bytes.length) - text.length;
    return text;
  };
}

/** An empty one for reuse, since most rows have no long bytes and leave it empty. */
let snapshotValue: Packing | undefined;

/** The body of a row. */
export function printBody(row: Pick<EncodedWrite, "printMembers">): PrintedBody {
  const into = ByteWriter.begin();
  const packing = snapshotValue ?? new Packing();
  snapshotValue = undefined;
  try {
    into.takeBytes = packing.take;
    row.printMembers(into);
    return packing.length === 0 ? plainBody(into) : packedBody(into, packing);
  } finally {
    ByteWriter.end(into);
    if (packing.length === 0) snapshotValue = packing;
  }
}

/** Short bodies share memory, which is faster; long ones are allocated separately, so each can be freed. */
function plainBody({ buffer, length, mayHaveWireForms }: ByteWriter): PrintedBody {
  const body = Buffer.allocUnsafe(length);
  buffer.copy(body, 0, 0, length);
  return { body, json: body, plainLength: length, mayHaveWireForms };
}

function packedBody(
  { buffer, length, mayHaveWireForms }: ByteWriter,
  { parts, length: dataLength, spared }: Packing,
): PrintedBody {
  const body = Buffer.allocUnsafe(length + dataLength + trailerLength);
  buffer.copy(body, 0, 0, length);
  let at = length;
  for (const part of parts) {
    if (typeof part === "string") body.write(part, at, "latin1");
    else body.set(part, at);
    at += part.length;
  }
  body.writeUInt8(0, body.writeUInt32LE(length, at));
  return { body, json: body.subarray(0, length), plainLength: length + spared, mayHaveWireForms };
}

const base64Length = (bytes: number): number => 4 * Math.ceil(bytes / 3);

/**
 * Splits a body with packed bytes; undefined if the body is plain JSON.
 *
 * @throws SyntaxError if the length is invalid
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
