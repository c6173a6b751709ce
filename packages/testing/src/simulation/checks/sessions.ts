import type { JournalEntry } from "../history/journal.ts";
import { operationOn, rowAt, type RowPlace } from "../history/sent-operations.ts";
import type { NamedCheck, SimulatedRun } from "./simulation-check.ts";

/** The guarantees to check for each actor; both by default. */
export interface SessionsOptions {
  /** A read that is sent after a write was acknowledged returns this write or a newer one. */
  readonly readYourWrites?: boolean | undefined;
  /** A read that is sent after another read has completed returns no older version. */
  readonly monotonicReads?: boolean | undefined;
}

/**
 * Checks that each actor sees the versions of every row in order, for storages that may read from a cache or a replica.
 * It compares the versions of rows in queries and point reads, including missing rows.
 */
export function sessions(options: SessionsOptions = {}): NamedCheck {
  return { name: "sessions", begin: (run) => ({ atEnd: () => findStaleRead(run, options) }) };
}

/** The versions of one row by their position in the order of all writes; a delete is also a version. */
class RowVersions {
  readonly #place: RowPlace;
  readonly #versions: readonly { readonly etag: string | undefined; readonly entry: JournalEntry }[];
  /** Whether a write of the row has an unknown outcome, so versions may be missing. */
  readonly isIncomplete: boolean;

  constructor(place: RowPlace, entries: readonly JournalEntry[]) {
    this.#place = place;
    const writes = entries.filter((entry) => operationOn(entry, place) !== undefined);
    this.isIncomplete = writes.some(({ outcome }) => outcome === "in doubt");
    this.#versions = writes
      .filter(({ outcome }) => outcome === "applied")
      .toSorted((a, b) => a.executed - b.executed)
      .map((entry) => ({ entry, etag: this.#etagOf(entry) }));
  }

  /** The version that a request read; -1 for the one before all writes, undefined if it did not read the row. */
  readBy(entry: JournalEntry): number | undefined {
    if (entry.outcome !== "read" || entry.table !== this.#place.table) return undefined;
    const { partitionKey, rowKey } = this.#place;
    const row = rowAt(entry.rows, this.#place);
    const isAsked = entry.type === "get" && entry.asked === `(${partitionKey}, ${rowKey})`;
    if (row === undefined && !isAsked) return undefined;
    const etag = row?.["odata.etag"];
    // Deletes cannot be distinguished, so use the latest possible one.
    return this.#versions.findLastIndex((one) => one.etag === etag && one.entry.executed <= entry.executed);
  }

  writtenBy(entry: JournalEntry): number {
    return this.#versions.findIndex((one) => one.entry === entry);
  }

  /** The ETag that a write gave the row; undefined for a delete. */
  #etagOf(entry: JournalEntry): string | undefined {
    const operation = operationOn(entry, this.#place);
    return entry.etags[entry.operations.findIndex((one) => one === operation)];
  }
}

function findStaleRead(
  { journal: { entries } }: SimulatedRun,
  { readYourWrites = true, monotonicReads = true }: SessionsOptions,
): string | undefined {
  for (const place of placesOf(entries)) {
    const versions = new RowVersions(place, entries);
    if (versions.isIncomplete) continue;
    for (const read of entries) {
      const version = versions.readBy(read);
      if (version === undefined) continue;
      const earlier = entries.filter(
        ({ actor, responded, error }) =>
          actor === read.actor && responded > 0 && responded <= read.sent && error === undefined,
      );
      const missed = earlier.find(
        (entry) =>
          (readYourWrites && versions.writtenBy(entry) > version) ||
          (monotonicReads && (versions.readBy(entry) ?? -1) > version),
      );
      if (missed === undefined) continue;
      const what =
        missed.outcome === "read" ? "had been returned by its request" : "it had written by request";
      return `${read.actor} read an older version of ${place.table} (${place.partitionKey}, ${place.rowKey}) by request ${read.number} than ${what} ${missed.number}`;
    }
  }
  return undefined;
}

/** Every row that is written in a run. */
function placesOf(entries: readonly JournalEntry[]): Iterable<RowPlace> {
  const places = new Map<string, RowPlace>();
  for (const { table, operations } of entries)
    for (const operation of operations) {
      const { PartitionKey, RowKey } =
        operation.type === "delete"
          ? { PartitionKey: operation.key.partitionKey, RowKey: operation.key.rowKey }
          : operation.entity;
      const place = { table, partitionKey: PartitionKey, rowKey: RowKey };
      places.set(JSON.stringify(place), place);
    }
  return places.values();
}
