import {
  type RowBody,
  type RowReader,
  rowProperty,
  setMember,
  type StoredEntityDraft,
} from "@partita/core/internal";
import { endOfText, type LabelNames } from "@partita/core/internal/jobs";
import type { StoredEntity, StoredValue } from "@partita/core/storage";

const [quote, comma, colon, backslash, brace] = [0x22, 0x2c, 0x3a, 0x5c, 0x7d];
const [openingBrace, openingBracket] = [0x7b, 0x5b];

/** Up to this many bytes, a loop is faster than native code. */
const longText = 100;

/**
 * Reads the keys, discriminator and version of rows, as if only these were selected. The rest is skipped, which takes a
 * fraction of the time to parse it. Rows in an unexpected form are parsed.
 *
 * @param isEnough - whether keys, discriminator and version are sufficient for a row; called with discriminator and
 *   version only
 */
export const labelReader = (names: LabelNames, isEnough: (labels: StoredEntity) => boolean): RowReader =>
  new LabelReader(names, isEnough);

class LabelReader implements RowReader {
  /** The members for discriminator and version, and the one that marks rows that are not entities. */
  readonly #labels: readonly Label[];
  readonly #isEnough: (labels: StoredEntity) => boolean;
  /** Consecutive rows often have the same discriminator and version, so this remembers the last decision. */
  #wasEnough: boolean | undefined;

  constructor({ kindProperty, versionProperty }: LabelNames, isEnough: (labels: StoredEntity) => boolean) {
    this.#labels = [kindProperty, versionProperty, rowProperty].map((name) => new Label(name));
    this.#isEnough = isEnough;
  }

  /** Lists are parsed, since they come over the network, which takes far longer. */
  readonly readList = (): undefined => undefined;

  readBody(row: RowBody): StoredEntity | undefined {
    const { partitionKey, rowKey } = row;
    // Also skips packed bytes.
    const bytes = row.packed?.json ?? row.bytes;
    const found = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (!this.#find(found) || !this.#take(found)) return undefined;
    this.#wasEnough ??= this.#isEnough(this.#rowOf("", ""));
    return this.#wasEnough ? this.#rowOf(partitionKey, rowKey) : undefined;
  }

  /** Reads the found values; false if one is not JSON. */
  #take(bytes: Buffer): boolean {
    try {
      for (const label of this.#labels) if (label.take(bytes)) this.#wasEnough = undefined;
      return true;
    } catch {
      return false;
    }
  }

  #rowOf(partitionKey: string, rowKey: string): StoredEntity {
    const row: StoredEntityDraft = { PartitionKey: partitionKey, RowKey: rowKey };
    for (const { name, value } of this.#labels) if (value !== undefined) setMember(row, name, value);
    return row;
  }

  /** Finds the members of a row; false if it contains anything but texts, numbers and booleans. */
  #find(bytes: Buffer): boolean {
    for (const label of this.#labels) label.length = 0;
    if (bytes[0] !== openingBrace) return false;
    if (bytes[1] === brace) return bytes.length === 2;
    for (let at = 1; ; at++) {
      const name = at + 1;
      const nameEnd = bytes[at] === quote ? endOfName(bytes, name) : -1;
      if (nameEnd < 0 || bytes[nameEnd + 1] !== colon) return false;
      const value = nameEnd + 2;
      at = endOfValue(bytes, value);
      if (at < 0) return false;
      for (const label of this.#labels)
        if (label.isNamed(bytes, name, nameEnd)) {
          label.from = value;
          label.length = at - value;
        }
      if (bytes[at] === brace) return at === bytes.length - 1;
      if (bytes[at] !== comma) return false;
    }
  }
}

/** A member to find, with its value in the last row. */
class Label {
  readonly name: string;
  /** The position of its value in the present row; no value has length 0. */
  from = 0;
  length = 0;
  value: StoredValue | undefined;
  readonly #name: Buffer;
  #token: Buffer = Buffer.alloc(0);

  constructor(name: string) {
    this.name = name;
    this.#name = Buffer.from(name);
  }

  isNamed(bytes: Buffer, from: number, end: number): boolean {
    return end - from === this.#name.length && isAt(bytes, from, this.#name);
  }

  /** Reads the found value. Returns whether it differs from the last one. */
  take(bytes: Buffer): boolean {
    const { from, length } = this;
    if (length === this.#token.length && isAt(bytes, from, this.#token)) return false;
    const token = Buffer.from(bytes.subarray(from, from + length));
    this.value = length === 0 ? undefined : (JSON.parse(token.toString()) as StoredValue);
    this.#token = token;
    return true;
  }
}

function isAt(bytes: Buffer, from: number, expected: Buffer): boolean {
  for (let i = 0; i < expected.length; i++) if (bytes[from + i] !== expected[i]) return false;
  return true;
}

/** The position of the quote after a name; -1 for a name with an escape. */
function endOfName(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    if (bytes[at] === quote) return at;
    if (bytes[at] === backslash) return -1;
  }
  return -1;
}

/** The first byte after a text, number or boolean; -1 for anything else. */
function endOfValue(bytes: Buffer, from: number): number {
  if (bytes[from] === quote) return endOfQuoted(bytes, from + 1);
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === comma || byte === brace) return at === from ? -1 : at;
    if (byte === openingBrace || byte === openingBracket || byte === quote) return -1;
  }
  return -1;
}

function endOfQuoted(bytes: Buffer, from: number): number {
  const near = Math.min(from + longText, bytes.length);
  for (let at = from; at < near; at++) {
    if (bytes[at] === quote) return at + 1;
    if (bytes[at] === backslash) at++;
  }
  const end = endOfText(bytes, from);
  return end === undefined ? -1 : end + 1;
}
