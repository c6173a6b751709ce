import { type Meter, type ObservableCallback, ValueType } from "@opentelemetry/api";
import type { WatchedPartitions } from "./watched-partitions.ts";

/**
 * Measures the hottest partitions of storages each time metrics are collected. The set changes over time: a
 * partition that is no longer among them is not reported. Returns a function that stops this.
 */
export function measurePartitions(
  meter: Meter,
  storages: readonly WatchedPartitions[],
  hottest: number,
): () => void {
  if (storages.length === 0) return () => undefined;
  const gauge = meter.createObservableGauge("partita.partition.entities_per_minute", {
    description: "Entities that were read from and written to the hottest partitions in the last minute",
    unit: "{entity}/min",
    valueType: ValueType.DOUBLE,
  });
  const observe: ObservableCallback = (result) => {
    for (const storage of storages)
      for (const { table, partition, perMinute } of storage.load().partitions.slice(0, hottest))
        result.observe(perMinute, { "db.collection.name": table, "partita.partition": partition });
  };
  gauge.addCallback(observe);
  return () => gauge.removeCallback(observe);
}
