import { loadCrypto, monotonicTime, warnOnce } from "@partita/core/internal";
import type { Clock } from "@partita/core/storage";
import { KeyEdges, insertsOfWindow } from "./key-edges.ts";
import { MinuteRate } from "./minute-rate.ts";
import { type Counter, SpaceSaving } from "./space-saving.ts";

/** The load of a partition. */
export interface PartitionLoad {
  /** The table as last spelt in a request. */
  readonly table: string;
  /** The first 16 hex digits of the SHA-256 of its PartitionKey. With `showKeys`, the PartitionKey. */
  readonly partition: string;
  /** Entities read from it since it is listed. */
  readonly read: number;
  /** Entities written to it or deleted since it is listed. */
  readonly written: number;
  /** Maximum number of entities read or written before it was listed, which neither number includes. */
  readonly missedAtMost: number;
  /** Entities read and written in the last minute. */
  readonly perMinute: number;
}

/** The distribution of a table's inserts. */
export interface TableInserts {
  /** The table as spelt in the first insert. */
  readonly table: string;
  /**
   * Number of inserts in the shares, at most 1,000. A transaction counts once, because it has one partition.
   */
  readonly inserts: number;
  /** The share with a PartitionKey larger than all earlier ones, 0 to 1. */
  readonly beyondLargest: number;
  /** The share with a PartitionKey smaller than all earlier ones, 0 to 1. */
  readonly belowSmallest: number;
}

/** The load of a storage's partitions. */
export interface LoadReport {
  /** Duration of the count, in minutes. */
  readonly minutes: number;
  /** Entities read, in all partitions. */
  readonly read: number;
  /** Entities written or deleted, in all partitions. */
  readonly written: number;
  /** Entities read and written in the last minute, in all partitions. */
  readonly perMinute: number;
  /** Up to 100 partitions, the hottest first. */
  readonly partitions: readonly PartitionLoad[];
  /** Maximum load of any partition that is not listed: at most 1 % of all entities. */
  readonly unlistedAtMost: number;
  /** Each table with inserts. */
  readonly inserts: readonly TableInserts[];
}

/** Number of counters for partitions. */
const counters = 100;
/** Maximum number of watched tables. Beyond it, the tables with the oldest first insert are dropped. */
const maxTables = 1000;
/** Share of inserts at one end that causes a warning. */
const warnedShare = 0.9;

/** The data of a partition with a counter. */
class Seen {
  table = "";
  read = 0;
  written = 0;
  readonly rate = new MinuteRate();

  reset(): void {
    this.read = 0;
    this.written = 0;
    this.rate.reset();
  }
}

/** Receives the number of entities of a partition. */
export type CountEntities = (partitionKey: string, entities: number) => void;

/** Counts the load of partitions in bounded memory. */
export class PartitionCounts {
  readonly #clock: Clock;
  readonly #showKeys: boolean;
  readonly #edges = new Map<string, { readonly table: string; readonly keys: KeyEdges }>();
  #counted: Counted;

  constructor(clock: Clock, showKeys: boolean) {
    this.#clock = clock;
    this.#showKeys = showKeys;
    this.#counted = new Counted(monotonicTime(clock));
  }

  /** Receives the partitions in a response for a table. */
  read(table: string): CountEntities {
    const now = monotonicTime(this.#clock);
    const counted = this.#counted;
    const id = table.toLowerCase();
    return (partitionKey, entities) => {
      counted.read += entities;
      counted.partition(id, table, partitionKey, entities, now).read += entities;
    };
  }

  written(table: string, partitionKey: string, entities: number): void {
    const counted = this.#counted;
    counted.written += entities;
    const now = monotonicTime(this.#clock);
    counted.partition(table.toLowerCase(), table, partitionKey, entities, now).written += entities;
  }

  /** Records an insert, and warns once if nearly all inserts go to one end of the table. */
  inserted(table: string, partitionKey: string): void {
    const id = table.toLowerCase();
    let edges = this.#edges.get(id);
    if (edges === undefined) {
      const [first] = this.#edges.keys();
      if (first !== undefined && this.#edges.size >= maxTables) this.#edges.delete(first);
      this.#edges.set(id, (edges = { table, keys: new KeyEdges() }));
    }
    edges.keys.insert(partitionKey);
    warnOfOneEnd(edges.table, edges.keys);
  }

  report(): LoadReport {
    const now = monotonicTime(this.#clock);
    const { read, written, rate, since, partitions } = this.#counted;
    return {
      minutes: (now - since) / 60_000,
      read,
      written,
      perMinute: rate.at(now),
      partitions: partitions.counters().map((counter) => this.#loadOf(counter, now)),
      unlistedAtMost: partitions.unlisted,
      inserts: [...this.#edges.values()].map(({ table, keys }) => ({
        table,
        inserts: keys.inserts,
        beyondLargest: keys.beyondLargest,
        belowSmallest: keys.belowSmallest,
      })),
    };
  }

  /** Starts a new count. The known keys are preserved. */
  reset(): void {
    this.#counted = new Counted(monotonicTime(this.#clock));
  }

  #loadOf({ key, missed, extra: { table, read, written, rate } }: Counter<Seen>, now: number): PartitionLoad {
    const partition = this.#showKeys ? key : hashOf(key);
    return { table, partition, read, written, missedAtMost: missed, perMinute: rate.at(now) };
  }
}

/** The counts between two resets. */
class Counted {
  read = 0;
  written = 0;
  readonly rate = new MinuteRate();
  readonly partitions = new SpaceSaving(counters, () => new Seen());
  readonly since: number;

  constructor(since: number) {
    this.since = since;
  }

  // oxlint-disable-next-line max-params -- called for each row
  partition(id: string, table: string, partitionKey: string, entities: number, now: number): Seen {
    this.rate.add(entities, now);
    const seen = this.partitions.add(id, partitionKey, entities);
    seen.table = table;
    seen.rate.add(entities, now);
    return seen;
  }
}

const hashOf = (key: string): string =>
  loadCrypto().createHash("sha256").update(key).digest("hex").slice(0, 16);

function warnOfOneEnd(table: string, keys: KeyEdges): void {
  if (keys.inserts < insertsOfWindow) return;
  const { beyondLargest, belowSmallest } = keys;
  const share = Math.max(beyondLargest, belowSmallest);
  if (share < warnedShare) return;
  warnOnce(keys, "PARTITA_APPEND_ONLY", () => {
    const [where, pattern] =
      beyondLargest >= belowSmallest ? ["behind", "append-only"] : ["before", "prepend-only"];
    return `${Math.floor(share * 100)} % of the last ${insertsOfWindow} inserts into table ${table} went to partitions ${where} all earlier ones (${pattern}). A single server receives them all, and the service cannot spread them. Put a part that varies in front of the PartitionKey, such as bucket(16). To find the cause, call analyzeKeys(Class).`;
  });
}
