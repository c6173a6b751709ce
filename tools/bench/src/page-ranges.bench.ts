// The page ranges of a disk of 500 GB with 500,000 fragments, compared with reading the same responses by
// hand, and with Microsoft's client.
import { Pool } from "undici";
import { compare } from "./compare.ts";
import {
  countOurs,
  countWithSdk,
  diskBytes,
  fragments,
  peakOf,
  startFragmentedBlob,
} from "./fragmented-blob.ts";
import { type MeasuredContender, reportRow } from "./report-row.ts";

const segmentBytes = 10 * 1024 ** 3;
const blob = await startFragmentedBlob();
const { url } = blob;

const { origin, pathname, search } = new URL(url);
const pool = new Pool(origin, { connections: 1, pipelining: 1 });

/** A program with only an HTTP client. */
async function countByHand(): Promise<number> {
  let count = 0;
  for (let start = 0; start < diskBytes; start += segmentBytes) {
    const { body } = await pool.request({
      method: "GET",
      path: `${pathname}${search}&comp=pagelist&timeout=90`,
      headers: { "x-ms-version": "2019-12-12", "x-ms-range": `bytes=${start}-${start + segmentBytes - 1}` },
    });
    const text = await body.text();
    for (const [, first, end] of text.matchAll(/<Start>(\d+)<\/Start><End>(\d+)<\/End>/g))
      if (Number(end) > Number(first)) count++;
  }
  return count;
}

const all = (count: () => Promise<number>) => async () => {
  const found = await count();
  if (found !== fragments) throw new Error(`Found ${found} ranges.`);
};

await compare({
  name: "page ranges",
  title: "500,000 page ranges in segments of 10 GB, for each range",
  clock: "process",
  rounds: 5,
  units: fragments,
  warmMs: 1000,
  baseline: { name: "undici.request, text, a regular expression", run: all(countByHand) },
  ours: { name: "Partita", target: { atMost: 1.2 }, run: all(() => countOurs(url, segmentBytes)) },
  peers: [{ name: "@azure/storage-blob", run: all(() => countWithSdk(url, segmentBytes)) }],
});

reportRow({
  name: "page ranges, memory",
  title: "Most memory while 500,000 page ranges are read, beyond what there is at the beginning",
  unit: "bytes",
  counted: "resident memory of a process of its own",
  contenders: [
    await measured("Partita, segments of 10 GB", "ours", segmentBytes),
    await measured("Partita, all in one call", "ours", diskBytes),
    await measured("@azure/storage-blob, segments of 10 GB", "sdk", segmentBytes),
  ],
});
await pool.close();
await blob.stop();

async function measured(name: string, client: "ours" | "sdk", bytes: number): Promise<MeasuredContender> {
  const peaks = [await peakOf(client, url, bytes), await peakOf(client, url, bytes)];
  // A single large request succeeds only without a time limit.
  const hasTarget = client === "ours" && bytes < diskBytes;
  return {
    name,
    role: client === "ours" ? "ours" : "peer",
    samples: [Math.max(...peaks)],
    target: hasTarget ? { most: 60 * 1024 ** 2 } : undefined,
  };
}
