/** Minimum size of a memory block in bytes; blocks grow by the same amount. */
const pieceBytes = 256 * 1024;
/** Number of blocks kept for reuse. */
const maxKept = 4;

/** A body in one block, with a function to release it; its bytes are then reused. */
export interface JoinedBody {
  readonly bytes: Buffer;
  release(): void;
}

/**
 * Reusable memory for joining bodies. After tens of megabytes of discarded arrays, V8 runs a major collection, which
 * also drops optimised code of classes without instances. Fresh memory from the system costs more than the copy.
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
        // Drop the smallest blocks, which would be used least.
        this.#free.push(memory);
        if (this.#free.length > maxKept) this.#free.sort((a, b) => b.length - a.length).pop();
      },
    };
  }
}

const none = Buffer.alloc(0);
const nothing = (): void => undefined;
