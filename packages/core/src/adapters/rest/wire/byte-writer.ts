/** The memory that is kept for the next writer; what one large text needed is not kept. */
const maxKeptBytes = 1024 * 1024;

/** What the next writer takes. Nobody holds it while a writer is at work, so that two never share it. */
let kept: Buffer | undefined;

/** Writes text and bytes one after the other into memory that grows, and is used again by the next writer. */
export class ByteWriter {
  #buffer: Buffer;
  #length = 0;

  private constructor(buffer: Buffer) {
    this.#buffer = buffer;
  }

  /** The bytes that `write` writes, in memory of their own. */
  static write(write: (writer: ByteWriter) => void): Buffer {
    const writer = new ByteWriter(kept ?? Buffer.allocUnsafeSlow(64 * 1024));
    kept = undefined;
    try {
      write(writer);
      return Buffer.from(writer.#buffer.subarray(0, writer.#length));
    } finally {
      if (writer.#buffer.length <= maxKeptBytes) kept = writer.#buffer;
    }
  }

  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Text without characters beyond ASCII, such as percent-encoded keys. */
  ascii(text: string): void {
    this.#reserve(text.length);
    this.#length += this.#buffer.write(text, this.#length, "latin1");
  }

  utf8(text: string): void {
    // A UTF-16 unit takes three bytes at most.
    this.#reserve(3 * text.length);
    this.#length += this.#buffer.write(text, this.#length);
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#buffer.length));
    larger.set(this.#buffer.subarray(0, this.#length));
    this.#buffer = larger;
  }
}
