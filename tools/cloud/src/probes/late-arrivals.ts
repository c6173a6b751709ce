import { StorageError, type TableStorage } from "@partita/core";
import { assumes, type Probe, reports } from "./probe.ts";

// A write with a lost response may be stored later. The library assumes that it can no longer be stored a
// minute after it was sent. This probe cancels requests at various times, and looks for their rows.

const writes = 40;
const partitionKey = "late";
/** Milliseconds after which no request can be stored, as the library assumes. */
const latestMs = 60_000;

export const lateArrivals: Probe = {
  name: "late arrivals",
  async measure({ storage, table, lateWindowMs }) {
    const roundTrip = await medianRoundTrip(storage, table);
    const sent = await Promise.all(
      Array.from({ length: writes }, (_, i) =>
        cancelWrite(storage, table, `r${i}`, (2 * roundTrip * i) / writes),
      ),
    );
    const doubtful = new Map(sent.flatMap((one) => (one.isDoubtful ? [[one.rowKey, one.at] as const] : [])));
    const arrivals = await watchRows(storage, table, doubtful, lateWindowMs);
    const latest = Math.max(0, ...arrivals);
    return [
      reports("milliseconds of a round trip", Math.round(roundTrip)),
      reports("writes without a response, of them stored", [doubtful.size, arrivals.length]),
      reports("milliseconds until the latest of them was seen", Math.round(latest)),
      assumes(`no row arrived after ${latestMs / 1000} seconds`, latest > latestMs, false),
    ];
  },
};

async function medianRoundTrip(storage: TableStorage, table: string): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 9; i++) {
    const began = performance.now();
    await storage.write(table, { type: "insert", entity: { PartitionKey: "first", RowKey: `r${i}` } });
    times.push(performance.now() - began);
  }
  return times.toSorted((a, b) => a - b)[4] as number;
}

/** A write, cancelled or not. */
interface CancelledWrite {
  readonly rowKey: string;
  /** The time when it was sent. */
  readonly at: number;
  readonly isDoubtful: boolean;
}

async function cancelWrite(
  storage: TableStorage,
  table: string,
  rowKey: string,
  afterMs: number,
): Promise<CancelledWrite> {
  const at = performance.now();
  const signal = AbortSignal.timeout(Math.ceil(afterMs));
  const entity = { PartitionKey: partitionKey, RowKey: rowKey };
  try {
    await storage.write(table, { type: "insert", entity }, { signal });
    return { rowKey, at, isDoubtful: false };
  } catch (error) {
    return { rowKey, at, isDoubtful: StorageError.is(error) && error.applied === "maybe" };
  }
}

/** The time until each stored row was visible. */
async function watchRows(
  storage: TableStorage,
  table: string,
  doubtful: ReadonlyMap<string, number>,
  windowMs: number,
): Promise<readonly number[]> {
  const seen = new Map<string, number>();
  const until = performance.now() + windowMs;
  while (performance.now() < until) {
    const { entities } = await storage.query(table, {
      filter: { op: "eq", name: "PartitionKey", literal: { edm: "Edm.String", value: partitionKey } },
    });
    for (const { RowKey } of entities) {
      const at = doubtful.get(RowKey);
      if (at !== undefined && !seen.has(RowKey)) seen.set(RowKey, performance.now() - at);
    }
    await new Promise((resolve) => void setTimeout(resolve, Math.min(500, windowMs / 4)));
  }
  return [...seen.values()];
}
