import { malformedXml } from "@partita/core/internal/azure";

/** Receives the parsed ranges. */
interface TakesRanges {
  push(start: number, end: number): void;
}

/** Bytes of the longest token that must be complete: the declaration, or a range with white space. */
const maxElementBytes = 1024;

const bytesOf = (text: string): Uint8Array => Buffer.from(text, "latin1");

const [openList, closeList, emptyList] = ["<PageList>", "</PageList>", "<PageList/>"].map(bytesOf) as Tags;
const [openRange, closeRange] = ["<PageRange>", "</PageRange>"].map(bytesOf) as Tags;
const [openStart, closeStart] = ["<Start>", "</Start>"].map(bytesOf) as Tags;
const [openEnd, closeEnd] = ["<End>", "</End>"].map(bytesOf) as Tags;

/** A text as numbers of four bytes. The last number overlaps the one before it. */
interface Words {
  readonly words: Int32Array;
  readonly length: number;
  readonly last: number;
}

function wordsOf(text: string): Words {
  const bytes = Buffer.from(text, "latin1");
  const words = Int32Array.from({ length: bytes.length >> 2 }, (_, i) => bytes.readInt32BE(4 * i));
  return { words, length: bytes.length, last: bytes.readInt32BE(bytes.length - 4) };
}

/** The text around the numbers of a range without white space. */
const rangeToStart = wordsOf("<PageRange><Start>");
const startToEnd = wordsOf("</Start><End>");
const endToRange = wordsOf("</End></PageRange>");

/** Maximum bytes of a range without white space. */
const maxRangeBytes = 96;

type Tags = [Uint8Array, Uint8Array, Uint8Array];

const [less, slash, mark, capitalN, zero] = [0x3c, 0x2f, 0x3f, 0x4e, 0x30];
const byteOrderMark = bytesOf("\u00ef\u00bb\u00bf");

const declaration =
  /^<\?xml version=(["'])1\.0\1(?: encoding=(["'])utf-8\2)?(?: standalone=(["'])yes\3)?\s*\?>$/i;

/** Result if the next bytes decide. Positions are never negative. */
const missing = -1;

/**
 * Parses the page list of a response from its bytes as they arrive, in one pass and without converting them
 * to text: `<PageList><PageRange><Start>0</Start><End>511</End></PageRange>…</PageList>`, with white space
 * between tags. Any other XML is refused. Source of the form: learn.microsoft.com "Get Page Ranges".
 */
export class PageListReader {
  readonly #into: TakesRanges;
  #state: "beginning" | "root" | "list" | "end" = "beginning";
  /** The start of an incomplete token. */
  #rest: Buffer = Buffer.alloc(0);

  constructor(into: TakesRanges) {
    this.#into = into;
  }

  /** @throws StorageError `storage.malformed-response` */
  take(chunk: Buffer): void {
    const before = this.#rest.length;
    if (before === 0) return this.#keep(chunk, this.#read(chunk, 0, chunk.length));
    // A token that started in the previous chunk ends within the first bytes of this one.
    const seam = Buffer.concat([this.#rest, chunk.subarray(0, maxElementBytes)]);
    const at = this.#read(seam, 0, before);
    if (at < before) return this.#keep(seam, at);
    this.#keep(chunk, this.#read(chunk, at - before, chunk.length));
  }

  /** Parses the complete tokens that start before `limit`. Returns the position after them. */
  #read(bytes: Buffer, from: number, limit: number): number {
    let at = this.#state === "beginning" ? from : skipSpace(bytes, from);
    while (at < limit) {
      const next = this.#step(bytes, at);
      if (next === missing) return at;
      at = skipSpace(bytes, next);
    }
    return at;
  }

  #keep(bytes: Buffer, from: number): void {
    this.#rest = bytes.subarray(from);
    if (this.#rest.length > maxElementBytes) throw malformedXml("it is not a list of page ranges");
  }

  /** The response has ended. @throws StorageError `storage.malformed-response` if the list is incomplete */
  end(): void {
    if (this.#state !== "end" || this.#rest.length > 0)
      throw malformedXml("its list of page ranges is cut off");
  }

  /** Parses one token. Returns the position after it, or `missing`. */
  #step(bytes: Buffer, at: number): number {
    switch (this.#state) {
      case "beginning":
        return this.#beginning(bytes, at);
      case "root":
        return this.#root(bytes, at);
      case "list":
        return this.#element(bytes, at);
      case "end":
        throw malformedXml("something follows its list of page ranges");
      default:
        return this.#state satisfies never;
    }
  }

  /** An optional byte order mark and declaration. */
  #beginning(bytes: Buffer, at: number): number {
    if (bytes[at] === byteOrderMark[0]) return afterTag(bytes, at, byteOrderMark);
    if (at + 2 > bytes.length) return missing;
    const hasDeclaration = bytes[at] === less && bytes[at + 1] === mark;
    const end = hasDeclaration ? bytes.indexOf(">", at, "latin1") + 1 : at;
    if (hasDeclaration && end === 0) return missing;
    if (hasDeclaration && !declaration.test(bytes.toString("latin1", at, end)))
      throw malformedXml("its declaration is not XML 1.0 in UTF-8");
    this.#state = "root";
    return end;
  }

  #root(bytes: Buffer, at: number): number {
    const close = bytes.indexOf(">", at, "latin1");
    if (close < 0) return missing;
    const isEmpty = bytes[close - 1] === slash;
    const next = isEmpty ? afterEmpty(bytes, at, emptyList) : afterTag(bytes, at, openList);
    this.#state = isEmpty ? "end" : "list";
    return next;
  }

  #element(bytes: Buffer, at: number): number {
    if (at + 2 > bytes.length) return missing;
    const second = bytes[at + 1];
    if (second === capitalN) return afterMarker(bytes, at);
    if (second !== slash) return this.#range(bytes, at);
    const next = afterTag(bytes, at, closeList);
    if (next !== missing) this.#state = "end";
    return next;
  }

  #range(bytes: Buffer, at: number): number {
    const plain = this.#plainRange(bytes, at);
    if (plain !== missing) return plain;
    const start = this.#number(bytes, afterTag(bytes, at, openRange), openStart, closeStart);
    const from = this.#value;
    const end = this.#number(bytes, start, openEnd, closeEnd);
    const next = end === missing ? missing : afterTag(bytes, end, closeRange);
    if (next !== missing) this.#into.push(from, this.#value);
    return next;
  }

  /** A range without white space, as services write it. `missing` for any other or incomplete range. */
  #plainRange(bytes: Buffer, at: number): number {
    if (at + maxRangeBytes > bytes.length) return missing;
    const view = this.#viewOf(bytes);
    if (!hasAt(view, at, rangeToStart)) return missing;
    const middle = this.#digits(bytes, at + rangeToStart.length);
    const start = this.#value;
    if (middle === missing || !hasAt(view, middle, startToEnd)) return missing;
    const last = this.#digits(bytes, middle + startToEnd.length);
    if (last === missing || !hasAt(view, last, endToRange)) return missing;
    this.#into.push(start, this.#value);
    return last + endToRange.length;
  }

  #view: DataView = new DataView(new ArrayBuffer(0));
  #viewed: Buffer | undefined;

  #viewOf(bytes: Buffer): DataView {
    if (this.#viewed !== bytes) {
      this.#viewed = bytes;
      this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    }
    return this.#view;
  }

  /** Reads up to 15 digits. `missing` if there are none or more. */
  #digits(bytes: Buffer, at: number): number {
    let [value, next] = [0, at];
    for (; next < at + 16; next++) {
      const digit = (bytes[next] as number) - zero;
      if (digit < 0 || digit > 9) break;
      value = 10 * value + digit;
    }
    this.#value = value;
    return next === at || next === at + 16 ? missing : next;
  }

  /** The value of the last number. */
  #value = 0;

  /** Reads a whole number between two tags. */
  #number(bytes: Buffer, at: number, open: Uint8Array, close: Uint8Array): number {
    let digit = at === missing ? missing : afterTag(bytes, at, open);
    if (digit === missing) return missing;
    const first = digit;
    let value = 0;
    for (; digit < bytes.length && bytes[digit] !== less; digit++) {
      const one = (bytes[digit] as number) - zero;
      if (one < 0 || one > 9) throw malformedXml("the end of a range is not a number");
      value = 10 * value + one;
    }
    if (digit === bytes.length) return missing;
    if (digit === first || !Number.isSafeInteger(value))
      throw malformedXml("the end of a range is not a number");
    this.#value = value;
    return afterTag(bytes, digit, close);
  }
}

/**
 * Whether a text is at a position, compared four bytes at a time. The caller checks that the buffer is long
 * enough.
 */
function hasAt(view: DataView, at: number, { words, length, last }: Words): boolean {
  for (let i = 0; i < words.length; i++) if (view.getInt32(at + 4 * i) !== words[i]) return false;
  return view.getInt32(at + length - 4) === last;
}

const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

function skipSpace(bytes: Buffer, at: number): number {
  let next = at;
  // Reading past the end would be slow.
  while (next < bytes.length && isSpace(bytes[next])) next++;
  return next;
}

/** The position after a tag, with optional white space before it. @throws StorageError for anything else */
function afterTag(bytes: Buffer, at: number, tag: Uint8Array): number {
  const from = skipSpace(bytes, at);
  for (let i = 0; i < tag.length; i++) {
    if (from + i >= bytes.length) return missing;
    if (bytes[from + i] !== tag[i]) throw malformedXml("it is not a list of page ranges");
  }
  return from + tag.length;
}

/** A tag without content, with or without a space before its slash. */
function afterEmpty(bytes: Buffer, at: number, tag: Uint8Array): number {
  const name = tag.subarray(0, -2);
  const next = afterTag(bytes, at, name);
  return next === missing ? missing : afterTag(bytes, next, tag.subarray(-2));
}

/**
 * Later versions of the service respond in parts, which this client does not request. A partial list must not
 * pass for a complete one.
 */
function afterMarker(bytes: Buffer, at: number): number {
  const end = bytes.indexOf(">", at, "latin1");
  if (end < 0) return missing;
  if (bytes[end - 1] === slash) return afterEmpty(bytes, at, emptyMarker);
  const open = afterTag(bytes, at, openMarker);
  if (bytes.length > open && bytes[open] !== less)
    throw malformedXml("it is a part of a list, but parts were not requested");
  return afterTag(bytes, open, closeMarker);
}

const [openMarker, closeMarker, emptyMarker] = ["<NextMarker>", "</NextMarker>", "<NextMarker/>"].map(
  bytesOf,
) as Tags;
