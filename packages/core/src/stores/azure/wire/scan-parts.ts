/** One embedded response of a multipart answer. */
export interface Part {
  readonly status: number;
  readonly etag: string | undefined;
  /** Where its body begins and ends in the answer's bytes. */
  readonly body: number;
  readonly end: number;
}

const protocol = "HTTP/1.1 ";
const etagName = "etag:";
/** How many letters of it stand before the last one. */
const beforeG = 3;

/** The place of what a text does not hold. */
const nowhere = Number.POSITIVE_INFINITY;

/** Finds one text in another, asked for places that only move forward: each is searched once. */
class Finder {
  readonly #text: string;
  readonly #wanted: string;
  #found = -1;

  constructor(text: string, wanted: string) {
    this.#text = text;
    this.#wanted = wanted;
  }

  /** The first place that is not before this one. */
  from(place: number): number {
    if (this.#found < place) {
      const found = this.#text.indexOf(this.#wanted, place);
      this.#found = found < 0 ? nowhere : found;
    }
    return this.#found;
  }
}

/**
 * Finds the responses in a multipart answer, each from its status line to the next boundary. Places only move forward, so
 * the time is linear in the answer's length, whatever the answer holds.
 */
export class PartScanner {
  readonly #bytes: Buffer;
  /** A character for each byte: places are the same in both. */
  readonly #text: string;
  readonly #protocol: Finder;
  readonly #boundary: Finder;
  readonly #blankLine: Finder;
  /** The same of an answer whose lines end without a carriage return. */
  readonly #plainBlankLine: Finder;
  readonly #smallG: Finder;
  readonly #capitalG: Finder;
  readonly #lineFeed: Finder;
  readonly #carriageReturn: Finder;
  #at = 0;

  constructor(bytes: Buffer) {
    const text = bytes.toString("latin1");
    this.#bytes = bytes;
    this.#text = text;
    this.#protocol = new Finder(text, protocol);
    this.#boundary = new Finder(text, "\n--");
    this.#blankLine = new Finder(text, "\n\r\n");
    this.#plainBlankLine = new Finder(text, "\n\n");
    this.#smallG = new Finder(text, "g:");
    this.#capitalG = new Finder(text, "G:");
    this.#lineFeed = new Finder(text, "\n");
    this.#carriageReturn = new Finder(text, "\r");
  }

  /** The next whole response; undefined when there is none. */
  next(): Part | undefined {
    for (;;) {
      const at = this.#protocol.from(this.#at);
      if (at === nowhere) return undefined;
      this.#at = at + protocol.length;
      const status = this.#isLineStart(at) ? this.#statusAt(this.#at) : -1;
      const head = status < 0 ? -1 : this.#lineAfterReason(this.#at + 3);
      if (head >= 0) return this.#partFrom(status, head);
    }
  }

  /** Three digits as a number; -1 for anything else. */
  #statusAt(from: number): number {
    let status = 0;
    for (let at = from; at < from + 3; at++) {
      const digit = this.#text.charCodeAt(at) - 48;
      if (!(digit >= 0 && digit <= 9)) return -1;
      status = 10 * status + digit;
    }
    return status;
  }

  /** Where the line after a status begins; -1 when it is no reason that follows the status. */
  #lineAfterReason(from: number): number {
    const lineFeed = this.#lineFeed.from(from);
    if (lineFeed === nowhere) return -1;
    const end = this.#text[lineFeed - 1] === "\r" && lineFeed > from ? lineFeed - 1 : lineFeed;
    if (this.#text[from] !== " " && end !== from) return -1;
    return this.#carriageReturn.from(from) < end ? -1 : lineFeed + 1;
  }

  #partFrom(status: number, head: number): Part | undefined {
    const end = this.#boundary.from(head);
    this.#at = end;
    if (end === nowhere) return undefined;
    // The line end before it begins the blank line of a response that has no headers.
    const [blank, plain] = [this.#blankLine.from(head - 1), this.#plainBlankLine.from(head - 1)];
    const afterBlank = Math.min(blank + 3, plain + 2);
    const headEnd = Math.min(blank, plain, end);
    return { status, etag: this.#etagIn(head, headEnd), body: Math.min(afterBlank, end), end };
  }

  /** The value of the first ETag header that is not empty. */
  #etagIn(head: number, end: number): string | undefined {
    let at = this.#etagFrom(head);
    while (at < end) {
      const from = at + etagName.length;
      const value = this.#isLineStart(at) ? this.#valueAt(from) : undefined;
      if (value !== undefined) return value;
      at = this.#etagFrom(from);
    }
    return undefined;
  }

  /** The first place of `etag:` in any case. What it ends with is rare, and so takes less time to find than its beginning. */
  #etagFrom(place: number): number {
    for (let from = place + beforeG; ;) {
      const at = Math.min(this.#smallG.from(from), this.#capitalG.from(from)) - beforeG;
      if (at === nowhere || this.#isEta(at)) return at;
      from = at + etagName.length;
    }
  }

  #isEta(at: number): boolean {
    const text = this.#text;
    return isLetter(text, at, 0x65) && isLetter(text, at + 1, 0x74) && isLetter(text, at + 2, 0x61);
  }

  /** The rest of a header's line without blanks around it: a text of its own, which does not hold the answer in memory. */
  #valueAt(start: number): string | undefined {
    const lineEnd = Math.min(
      this.#lineFeed.from(start),
      this.#carriageReturn.from(start),
      this.#bytes.length,
    );
    let [from, end] = [start, lineEnd];
    while (from < end && this.#isBlank(from)) from++;
    while (end > from && this.#isBlank(end - 1)) end--;
    const value = this.#bytes.toString("utf8", from, end);
    const isUsual = value !== "" && value.length === end - from;
    return isUsual ? value : unusualValue(this.#bytes.toString("utf8", start, lineEnd));
  }

  /** Whether a line begins here, as `^` of a regular expression sees lines: after separators of Unicode, too. */
  #isLineStart(at: number): boolean {
    const before = this.#text[at - 1];
    return (
      at === 0 ||
      before === "\n" ||
      before === "\r" ||
      ((before === "\u00a8" || before === "\u00a9") && this.#text.startsWith("\u00e2\u0080", at - 3))
    );
  }

  #isBlank(at: number): boolean {
    const code = this.#text.charCodeAt(at);
    return code === 0x20 || code === 0x09;
  }
}

/** Whether a letter stands here, in either case. */
const isLetter = (text: string, at: number, small: number): boolean => (text.charCodeAt(at) | 0x20) === small;

/** A value that is blank, or has characters of several bytes, among which separators of lines end it. */
const unusualValue = (text: string): string | undefined => /[ \t]*([^\r\n]+?)[ \t]*$/m.exec(text)?.[1];
