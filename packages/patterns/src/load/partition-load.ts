import { loadCrypto, monotonicTime, warnOnce } from "@partita/core/internal";
import type { Clock } from "@partita/core/storage";
import { KeyEdges, insertsOfWindow } from "./key-edges.ts";
import { MinuteRate } from "./minute-rate.ts";
import { type Counter, SpaceSaving } from "./space-saving.ts";

/** What a partition was asked for. */
export interface PartitionLoad {
  /** As it was last named in a request. */
  readonly table: string;
  /** The first 16 hex digits of the SHA-256 of its PartitionKey; with `showKeys`, the PartitionKey. */
  readonly partition: string;
  /** Entities that were read from it since it is listed. */
  readonly read: number;
  /** Entities that were written to it, or removed, since it is listed. */
  readonly written: number;
  /** Entities at most that were read or written before it was listed, and are in neither number. */
  readonly missedAtMost: number;
  /** Entities that were read and written in the last minute. */
  readonly perMinute: number;
}

/** Where the inserts of a table went. */
export interface TableInserts {
  /** As it was named in the first insert. */
  readonly table: string;
  /** The last inserts that the shares are of: 1,000 at most. A transaction counts once, since it has one partition. */
  readonly inserts: number;
  /** The share whose PartitionKey was larger than all that were seen before, 0 to 1. */
  readonly beyondLargest: number;
  /** The share whose PartitionKey was smaller than all that were seen before, 0 to 1. */
  readonly belowSmallest: number;
}

/** What the partitions of a storage were asked for. */
export interface LoadReport {
  /** How long it was counted, in minutes. */
  readonly minutes: number;
  /** Entities that were read, in all partitions. */
  readonly read: number;
  /** Entities that were written or removed, in all partitions. */
  readonly written: number;
  /** Entities that were read and written in the last minute, in all partitions. */
  readonly perMinute: number;
  /** Up to 100 partitions, the hottest first. */
  readonly partitions: readonly PartitionLoad[];
  /** What any partition that is not listed was asked for at most: 1 % of all entities, or less. */
  readonly unlistedAtMost: number;
  /** Each table that entities were inserted into. */
  readonly inserts: readonly TableInserts[];
}

/** Counters of partitions. */
const counters = 100;
/** Tables whose inserts are watched; of more, those that were inserted into first are left out. */
const maxTables = 1000;
/** The share of inserts from which on they are said to go to one end. */
const warnedShare = 0.9;

/** What is known of a partition that has a counter. */
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

/** Takes how many entities of a partition there were. */
export type CountEntities = (partitionKey: string, entities: number) => void;

/** Counts what partitions are asked for, in bounded memory. */
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

  /** Takes what one answer has of the partitions of a table. */
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

  /** Notes where an insert went, and warns once where nearly all go to one end of the table. */
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

  /** Begins to count anew. Which keys were seen stays known. */
  reset(): void {
    this.#counted = new Counted(monotonicTime(this.#clock));
  }

  #loadOf({ key, missed, extra: { table, read, written, rate } }: Counter<Seen>, now: number): PartitionLoad {
    const partition = this.#showKeys ? key : hashOf(key);
    return { table, partition, read, written, missedAtMost: missed, perMinute: rate.at(now) };
  }
}

/** What is counted from one reset to the next. */
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
    return `${Math.floor(share * 100)} % of the last ${insertsOfWindow} inserts into table ${table} went to partitions ${where} all that were seen before them (${pattern}). One server takes them all, and the service cannot spread them. Put a part that varies in front of the PartitionKey, such as bucket(16); analyzeKeys(Class) names the part that is the cause.`;
  });
}
