/** A response of text that is sent while it is made. If it fails after its start, the connection is closed. */
export class TextStream {
  readonly chunks: AsyncIterable<string>;

  constructor(chunks: AsyncIterable<string>) {
    this.chunks = chunks;
  }

  get isTextStream(): true {
    return true;
  }

  static is(value: unknown): value is TextStream {
    return (value as Partial<TextStream> | null | undefined)?.isTextStream === true;
  }
}
