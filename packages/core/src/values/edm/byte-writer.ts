/** A writer with more memory than this is not reused: a single large text would keep it allocated. */
const maxKeptBytes = 1024 * 1024;

/** The writer to use next. It is taken out while it is in use, so two writers never share memory. */
let snapshotValue: ByteWriter | undefined;

/** Bytes that are written repeatedly, such as the name of a property in JSON. */
export interface Constant {
  readonly length: number;
  /** The bytes in words of four; the last word is filled up with zeros. */
  readonly words: Int32Array;
}

/** Prepares bytes for `ByteWriter.constant`. */
export function constantOf(text: string): Constant {
  const bytes = new TextEncoder().encode(text);
  const words = new Int32Array(Math.ceil(bytes.length / 4));
  for (const [i, byte] of bytes.entries())
    words[i >> 2] = (words[i >> 2] as number) | (byte << (8 * (i & 3)));
  return { length: bytes.length, words };
}

/**
 * Writes text and bytes one after another into memory that grows, and that the next writer reuses. To write byte by
 * byte, reserve capacity, set `buffer` from `length` on, and move `length`.
 */
export class ByteWriter {
  /** A new one after each `reserve`. */
  buffer: Buffer;
  /** The number of bytes written. */
  length = 0;
  /**
   * Takes long bytes out of the JSON, as an array or as text with one character for each byte, and returns the text to
   * write instead. Undefined if the JSON has them as base64.
   */
  takeBytes: ((bytes: string | Uint8Array) => string) | undefined;
  /** Whether only the length is needed, so slow work can be skipped. */
  isMeasuring = false;
  /** Whether it may contain values that the wire writes differently: -0, and the two Unicode line separators. */
  mayHaveWireForms = false;
  #view: DataView;

  private constructor(buffer: Buffer) {
    this.buffer = buffer;
    this.#view = viewOf(buffer);
  }

  /** Returns the bytes that `write` writes, in their own memory. */
  static write(write: (writer: ByteWriter) => void): Buffer {
    return ByteWriter.use(write, ({ buffer, length }) => Buffer.from(buffer.subarray(0, length)));
  }

  /** Returns the number of bytes that `write` writes. */
  static measure(write: (writer: ByteWriter) => void): number {
    const measured = (writer: ByteWriter): void => {
      writer.isMeasuring = true;
      write(writer);
    };
    return ByteWriter.use(measured, ({ length }) => length);
  }

  /** Passes the bytes that `write` writes to `take`, which must not keep a reference to them. */
  static use<Result>(write: (writer: ByteWriter) => void, take: (writer: ByteWriter) => Result): Result {
    const writer = ByteWriter.begin();
    try {
      write(writer);
      return take(writer);
    } finally {
      ByteWriter.end(writer);
    }
  }

  /**
   * Returns an empty writer that no other code uses until `end`. It avoids creating functions for `use` in frequent
   * calls.
   */
  static begin(): ByteWriter {
    const writer = snapshotValue ?? new ByteWriter(Buffer.allocUnsafeSlow(64 * 1024));
    snapshotValue = undefined;
    writer.length = 0;
    writer.takeBytes = undefined;
    writer.isMeasuring = false;
    writer.mayHaveWireForms = false;
    return writer;
  }

  /** Returns a writer and its memory for reuse. */
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

  /** For a few words, a loop is faster than a call that copies them. */
  constant({ words, length }: Constant): void {
    this.reserve(length + 4);
    const view = this.#view;
    let at = this.length;
    for (let i = 0; i < words.length; i++, at += 4) view.setInt32(at, words[i] as number, true);
    this.length += length;
  }

  /** Writes ASCII text, such as percent-encoded keys. */
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

  /** Writes any text, which may be printed JSON. */
  utf8(text: string): void {
    this.mayHaveWireForms = true;
    // A UTF-16 unit takes at most three bytes.
    this.reserve(3 * text.length);
    this.length += this.buffer.write(text, this.length);
  }

  /** Skips bytes if only the length is needed. */
  skip(bytes: number): void {
    this.reserve(bytes);
    this.length += bytes;
  }

  /** Reserves capacity for this many bytes. */
  reserve(bytes: number): void {
    const needed = this.length + bytes;
    if (needed <= this.buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.buffer.length));
    larger.set(this.buffer.subarray(0, this.length));
    this.buffer = larger;
    this.#view = viewOf(larger);
  }
}

/** Up to this many characters, a loop is faster than a call that copies them. */
const shortLength = 60;

const viewOf = ({ buffer, byteOffset, length }: Buffer): DataView => new DataView(buffer, byteOffset, length);
