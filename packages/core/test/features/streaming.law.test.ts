import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { isLong } from "@partita/test-support/effort";
import { expect, test } from "vitest";
import { createTables, defineEntity, int32, openStorage, TableContext, text } from "../../src/index.ts";
import { padded } from "../../src/keys.ts";

class Reading extends defineEntity({
  table: "Readings",
  partitionKey: { sensor: text() },
  rowKey: { n: padded(8) },
  properties: { value: int32(), unit: text(), note: text() },
}) {}

const total = isLong ? 1_000_000 : 40_000;
/** Bytes per entity; over few entities a page more or less shows. */
const limit = isLong ? 1 : 30;

test(`a stream of ${total} entities without tracking keeps memory flat`, async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const folder = await mkdtemp(join(tmpdir(), "partita-stream-"));
  await using storage = await openStorage(`file:${join(folder, "readings.db")}`, { durability: "normal" });
  await createTables(storage, [Reading]);
  for (let from = 0; from < total; from += 100)
    await storage.transact(
      "Readings",
      Array.from({ length: 100 }, (_, i) => ({
        type: "insert" as const,
        entity: {
          PartitionKey: "s",
          RowKey: String(from + i).padStart(8, "0"),
          value: i,
          unit: "K",
          note: `reading ${from + i}`,
        },
      })),
    );

  const context = new TableContext(storage, { mergeOption: "noTracking" });
  const samples: [count: number, bytes: number][] = [];
  let count = 0;
  let sum = 0;
  for await (const reading of context.query(Reading).where({ sensor: "s" })) {
    sum += reading.value;
    if (++count % (total / 20) !== 0) continue;
    collect();
    samples.push([count, process.memoryUsage().heapUsed]);
  }
  await rm(folder, { recursive: true, force: true });

  expect([count, sum, context.size]).toEqual([total, (total / 100) * 4950, 0]);
  const slope = slopeOf(samples.slice(4));
  if (isLong) console.info(`${slope.toFixed(3)} bytes per entity`);
  expect(slope).toBeLessThan(limit);
});

/** Least squares. */
function slopeOf(points: readonly (readonly [number, number])[]): number {
  const mean = (pick: 0 | 1): number => points.reduce((sum, p) => sum + p[pick], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const covariance = points.reduce((sum, [a, b]) => sum + (a - x) * (b - y), 0);
  return covariance / points.reduce((sum, [a]) => sum + (a - x) ** 2, 0);
}
