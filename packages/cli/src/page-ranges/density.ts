import type { PageRange } from "@partita/page-blobs";

/** The written share of each part of a blob. The number of equal parts is limited, for blobs of any size. */
export class Density {
  readonly #written: Float64Array;
  #cellBytes = 512;

  /** @param cells - a multiple of 2 */
  constructor(cells: number = 2048) {
    this.#written = new Float64Array(cells);
  }

  add({ start, end }: PageRange): void {
    while (end >= this.#cellBytes * this.#written.length) this.#halve();
    for (let from = start; from <= end;) {
      const cell = Math.floor(from / this.#cellBytes);
      const next = Math.min(end + 1, (cell + 1) * this.#cellBytes);
      this.#written[cell] = (this.#written[cell] ?? 0) + next - from;
      from = next;
    }
  }

  /** The written share of each of `count` equal pieces of the first `size` bytes: 0 to 1. */
  shares(size: number, count: number): number[] {
    const pieceBytes = size / count;
    const shares = Array.from({ length: count }, () => 0);
    for (const [cell, written] of this.#written.entries()) {
      const start = cell * this.#cellBytes;
      const end = Math.min(start + this.#cellBytes, size);
      if (written === 0 || end <= start) continue;
      // Within a cell, written bytes are assumed to be spread evenly.
      for (let piece = Math.floor(start / pieceBytes); piece < count && piece * pieceBytes < end; piece++) {
        const common = Math.min(end, (piece + 1) * pieceBytes) - Math.max(start, piece * pieceBytes);
        shares[piece] = (shares[piece] ?? 0) + (written * common) / (end - start) / pieceBytes;
      }
    }
    return shares.map((share) => Math.min(1, Math.max(0, share)));
  }

  /** Merges every two cells. */
  #halve(): void {
    const cells = this.#written;
    for (let i = 0; i < cells.length / 2; i++) cells[i] = (cells[2 * i] ?? 0) + (cells[2 * i + 1] ?? 0);
    cells.fill(0, cells.length / 2);
    this.#cellBytes *= 2;
  }
}
