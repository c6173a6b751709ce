/** Bytes of a piece of memory at least; pieces grow by as many. */
const pieceBytes = 256 * 1024;
/** Pieces that are kept to be used again. */
const maxKept = 4;

/** A body in one piece, and what gives its memory back: its bytes are another body's then. */
export interface JoinedBody {
  readonly bytes: Buffer;
  release(): void;
}

/**
 * Memory that bodies are joined in, used again and again. V8 collects everything as soon as tens of megabytes of arrays have been
 * left to it, and drops the machine code of all that no object lives of then; fresh memory of the system costs more than the copy.
 */
export class BodyMemory {
  readonly #free: Buffer[] = [];

  join(parts: readonly Buffer[], length: number): JoinedBody {
    const [only] = parts;
    if (only === undefined || parts.length === 1) return { bytes: only ?? none, release: nothing };
    const found = this.#free.findIndex((memory) => memory.length >= length);
    const memory =
      this.#free.splice(found, found < 0 ? 0 : 1)[0] ??
      Buffer.allocUnsafeSlow(pieceBytes * Math.ceil(length / pieceBytes));
    let at = 0;
    for (const part of parts) {
      memory.set(part, at);
      at += part.length;
    }
    return {
      bytes: memory.subarray(0, length),
      release: () => {
        // The smallest make room, which would be used least.
        this.#free.push(memory);
        if (this.#free.length > maxKept) this.#free.sort((a, b) => b.length - a.length).pop();
      },
    };
  }
}

const none = Buffer.alloc(0);
const nothing = (): void => undefined;
