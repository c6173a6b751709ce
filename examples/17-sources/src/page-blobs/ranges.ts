import { openPageBlob, type PageRange, type PageRangesOptions } from "@partita/page-blobs";
import { startPageBlobServer } from "@partita/server";
import { type Chapter, codeOf, holds, type Item, listOf } from "../item.ts";

const gb = 1024 ** 3;

interface Blob {
  readonly size: number;
  readonly ranges: readonly PageRange[];
}

/** A blob whose first 40 GB are written. */
const full: Blob = { size: 40 * gb, ranges: [{ start: 0, end: 40 * gb - 1 }] };
/** Every eighth page is written, 100 of them. */
const fragmented: Blob = {
  size: 100 * 4096,
  ranges: Array.from({ length: 100 }, (_, i) => ({ start: i * 4096, end: i * 4096 + 511 })),
};

/** The ranges of a blob in a server of this process, the storage of the example has no blobs. */
async function rangesOf(
  blob: Blob,
  options: PageRangesOptions,
  maxRangesPerResponse?: number,
): Promise<{ found: PageRange[]; calls: number }> {
  await using server = await startPageBlobServer({ maxRangesPerResponse });
  server.putPageBlob("vhds/disk.vhd", blob);
  await using disk = await openPageBlob(server.connectionString, { blob: "vhds/disk.vhd" });
  let calls = 0;
  const found = await listOf(
    disk.pageRanges({ ...options, onProgress: (progress) => void (calls = progress.calls) }),
  );
  return { found, calls };
}

const reads = (
  title: string,
  blob: Blob,
  options: PageRangesOptions,
  expected: [first: string, ranges: number, calls: number],
): Item =>
  holds(title, expected, async () => {
    const { found, calls } = await rangesOf(blob, options);
    return [`${found[0]?.start} - ${found[0]?.end}`, found.length, calls];
  });

export const ranges: Chapter = {
  title: "Page ranges in segments",
  items: [
    reads("A 40 GB range in segments of 10 GB", full, { segmentBytes: 10 * gb }, ["0 - 10737418239", 4, 4]),
    reads("Parts of a range can be joined", full, { segmentBytes: 10 * gb, join: true }, [
      `0 - ${40 * gb - 1}`,
      1,
      4,
    ]),
    reads("The default segment is 150 MB", full, { from: 39 * gb, join: true }, [
      `${39 * gb} - ${40 * gb - 1}`,
      1,
      7,
    ]),
    reads("A small blob is one call", fragmented, {}, ["0 - 511", 100, 1]),
    reads("An empty blob has no ranges", { size: 4096, ranges: [] }, {}, ["undefined - undefined", 0, 1]),
    holds("One call for a large fragmented blob exceeds the time limit", "storage.operation-timed-out", () =>
      codeOf(() => rangesOf(fragmented, {}, 10)),
    ),
    holds(
      "Segments of the same blob succeed",
      100,
      async () => (await rangesOf(fragmented, { segmentBytes: 10 * 4096 }, 10)).found.length,
    ),
    holds("A segment is requested when the loop reaches it", 2, async () => {
      await using server = await startPageBlobServer();
      server.putPageBlob("vhds/disk.vhd", full);
      await using disk = await openPageBlob(server.connectionString, { blob: "vhds/disk.vhd" });
      let calls = 0;
      const onProgress = (): void => void calls++;
      for await (const { end } of disk.pageRanges({ segmentBytes: 10 * gb, onProgress }))
        if (end >= 20 * gb - 1) break;
      return calls;
    }),
    holds("A segment size that is no multiple of 512 is refused", "blobs.option", () =>
      codeOf(() => rangesOf(full, { segmentBytes: 1000 })),
    ),
    holds("A segment size of 0 is refused, instead of an endless loop", "blobs.option", () =>
      codeOf(() => rangesOf(full, { segmentBytes: 0 })),
    ),
    holds(
      "A failed call is not repeated, and the ranges before it are kept",
      [2, "storage.operation-timed-out"],
      async () => {
        await using server = await startPageBlobServer({ maxRangesPerResponse: 10 });
        const late = Array.from({ length: 20 }, (_, i) => ({
          start: 32_768 + i * 1024,
          end: 32_768 + i * 1024 + 511,
        }));
        server.putPageBlob("vhds/disk.vhd", {
          size: 65_536,
          ranges: [{ start: 0, end: 511 }, { start: 4096, end: 4607 }, ...late],
        });
        await using disk = await openPageBlob(server.connectionString, { blob: "vhds/disk.vhd" });
        const found: PageRange[] = [];
        const code = await codeOf(async () => {
          for await (const range of disk.pageRanges({ segmentBytes: 4096 * 8 })) found.push(range);
        });
        return [found.length, code];
      },
    ),
  ],
};
