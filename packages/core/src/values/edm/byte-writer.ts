/** The memory that a writer may have to be used again; what one large text needed is not kept. */
const maxKeptBytes = 1024 * 1024;

/** The writer that is used next. Nobody holds it while it is at work, so that two never share its memory. */
let snapshotValue: ByteWriter | undefined;

/** Bytes that are written again and again, such as the name of a property in JSON. */
export interface Constant {
  readonly length: number;
  /** The bytes, four at a time, and zeros to the end of the last four. */
  readonly words: Int32Array;
}

/** Prepares what `ByteWriter.constant` writes. */
export function constantOf(text: string): Constant {
  const bytes = new TextEncoder().encode(text);
  const words = new Int32Array(Math.ceil(bytes.length / 4));
  for (const [i, byte] of bytes.entries())
    words[i >> 2] = (words[i >> 2] as number) | (byte << (8 * (i & 3)));
  return { length: bytes.length, words };
}

/**
 * Writes text and bytes one after the other into memory that grows, and is used again by the next writer. Those who write
 * byte by byte reserve room, set `buffer` from `length` on, and move `length`.
 */
export class ByteWriter {
  /** Another one after each `reserve`. */
  buffer: Buffer;
  /** How much of it is written. */
  length = 0;
  /**
   * Takes long bytes that JSON has as base64, as they are or as text of a character a byte, and gives the text that stands for
   * them; undefined where JSON has them itself.
   */
  takeBytes: ((bytes: string | Uint8Array) => string) | undefined;
  /** Whether only the length counts: what takes time need not be written. */
  isMeasuring = false;
  /** Whether it may hold what the wire writes in a form of its own: -0, and the two separators that end lines. */
  mayHaveWireForms = false;
  #view: DataView;

  private constructor(buffer: Buffer) {
    this.buffer = buffer;
    this.#view = viewOf(buffer);
  }

  /** The bytes that `write` writes, in memory of their own. */
  static write(write: (writer: ByteWriter) => void): Buffer {
    return ByteWriter.use(write, ({ buffer, length }) => Buffer.from(buffer.subarray(0, length)));
  }

  /** How many bytes `write` writes. */
  static measure(write: (writer: ByteWriter) => void): number {
    const measured = (writer: ByteWriter): void => {
      writer.isMeasuring = true;
      write(writer);
    };
    return ByteWriter.use(measured, ({ length }) => length);
  }

  /** What `take` makes of the bytes that `write` writes; it must not keep them. */
  static use<Result>(write: (writer: ByteWriter) => void, take: (writer: ByteWriter) => Result): Result {
    const writer = ByteWriter.begin();
    try {
      write(writer);
      return take(writer);
    } finally {
      ByteWriter.end(writer);
    }
  }

  /** An empty writer, which is nobody else's until `end`: for those who write too often to make functions for `use`. */
  static begin(): ByteWriter {
    const writer = snapshotValue ?? new ByteWriter(Buffer.allocUnsafeSlow(64 * 1024));
    snapshotValue = undefined;
    writer.length = 0;
    writer.takeBytes = undefined;
    writer.isMeasuring = false;
    writer.mayHaveWireForms = false;
    return writer;
  }

  /** Gives a writer back, with its memory. */
  static end(writer: ByteWriter): void {
    if (writer.buffer.length <= maxKeptBytes) snapshotValue = writer;
  }

  bytes(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.buffer.set(bytes, this.length);
    this.length += bytes.length;
  }

  byte(byte: number): void {
    this.reserve(1);
    this.buffer[this.length++] = byte;
  }

  /** A few words take less time one by one than a call that copies them. */
  constant({ words, length }: Constant): void {
    this.reserve(length + 4);
    const view = this.#view;
    let at = this.length;
    for (let i = 0; i < words.length; i++, at += 4) view.setInt32(at, words[i] as number, true);
    this.length += length;
  }

  /** Text without characters beyond ASCII, such as percent-encoded keys. */
  ascii(text: string): void {
    this.reserve(text.length);
    if (text.length > shortLength) {
      this.length += this.buffer.write(text, this.length, "latin1");
      return;
    }
    const { buffer } = this;
    let at = this.length;
    for (let i = 0; i < text.length; i++) buffer[at++] = text.charCodeAt(i);
    this.length = at;
  }

  /** Any text, which may be printed JSON. */
  utf8(text: string): void {
    this.mayHaveWireForms = true;
    // A UTF-16 unit takes three bytes at most.
    this.reserve(3 * text.length);
    this.length += this.buffer.write(text, this.length);
  }

  /** Bytes whose values do not matter, where only the length counts. */
  skip(bytes: number): void {
    this.reserve(bytes);
    this.length += bytes;
  }

  /** Makes room for so many bytes. */
  reserve(bytes: number): void {
    const needed = this.length + bytes;
    if (needed <= this.buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.buffer.length));
    larger.set(this.buffer.subarray(0, this.length));
    this.buffer = larger;
    this.#view = viewOf(larger);
  }
}

/** Up to this many characters are written here sooner than by a call that copies them. */
const shortLength = 60;

const viewOf = ({ buffer, byteOffset, length }: Buffer): DataView => new DataView(buffer, byteOffset, length);
