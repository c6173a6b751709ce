import type { PageRangesProgress } from "@partita/core/blobs";
import { formatBytes } from "./format-bytes.ts";

const width = 40;

/** A bar that is redrawn on a terminal; nothing elsewhere, where the result is what counts. */
export function progressBar(out: Pick<NodeJS.WriteStream, "isTTY" | "write"> = process.stderr): {
  readonly show: (progress: PageRangesProgress) => void;
  readonly end: () => void;
} {
  return {
    show({ done, size, calls }) {
      if (!out.isTTY) return;
      const share = size === 0 ? 1 : done / size;
      const full = Math.floor(share * width);
      const bar = "█".repeat(full) + "·".repeat(width - full);
      const percent = String(Math.floor(share * 100)).padStart(3);
      out.write(`\r\x1b[K${bar} ${percent} %  ${formatBytes(done)} of ${formatBytes(size)}, ${calls} calls`);
    },
    end() {
      if (out.isTTY) out.write("\r\x1b[K");
    },
  };
}
