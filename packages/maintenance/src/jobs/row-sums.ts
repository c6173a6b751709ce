import { loadCrypto } from "@partita/core/internal";
import { canonicalValue } from "@partita/core/internal/jobs";
import { annotationOf, edmTypeOf, isSystemName } from "@partita/core/protocol";
import type { StoredEntity } from "@partita/core/storage";

const bucketCount = 4096;

/** A hash of a row's key and properties, in two halves. Equal rows have equal hashes. */
export type RowHash = readonly [number, number];

/**
 * Compares two sets of rows of any size in little memory: the expected rows and the existing ones. Each bucket has the
 * sum of the hashes of its rows, added for one set and subtracted for the other: a hash of multisets, as in Clarke and
 * others, "Incremental multiset hash functions" (2003). A bucket has a difference if its sums are not zero.
 */
export class RowSums {
  readonly #sums: Uint32Array = new Uint32Array(2 * bucketCount);
  readonly #counts: Uint32Array = new Uint32Array(bucketCount);

  add(row: StoredEntity, sign: 1 | -1): void {
    const bucket = bucketOf(row);
    const [low, high] = hashOf(row);
    this.#sums[2 * bucket] = (this.#sums[2 * bucket] ?? 0) + sign * low;
    this.#sums[2 * bucket + 1] = (this.#sums[2 * bucket + 1] ?? 0) + sign * high;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
  }

  /** Buckets with differences, in lists of at most this many rows together; a larger bucket is a list of its own. */
  differing(maxRows: number): ReadonlySet<number>[] {
    const lists: Set<number>[] = [];
    let rows = 0;
    for (let bucket = 0; bucket < bucketCount; bucket++) {
      if (this.#sums[2 * bucket] === 0 && this.#sums[2 * bucket + 1] === 0) continue;
      const count = this.#counts[bucket] ?? 0;
      const last = lists.at(-1);
      if (last === undefined || rows + count > maxRows) {
        lists.push(new Set([bucket]));
        rows = 0;
      } else last.add(bucket);
      rows += count;
    }
    return lists;
  }
}

/** FNV-1a over both keys. */
export function bucketOf({ PartitionKey, RowKey }: StoredEntity): number {
  let hash = 0x81_1c_9d_c5;
  for (const text of [PartitionKey, "\0", RowKey])
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01_00_01_93);
  // The low bits of a product depend only on low bits.
  return (hash ^ (hash >>> 15)) & (bucketCount - 1);
}

export const hashOf = (row: StoredEntity): RowHash => hashOfText(canonicalText(row));

/** Half of a SHA-256, in two halves. */
function hashOfText(text: string): RowHash {
  // As text, since creating a byte array takes twice as long.
  const digest = loadCrypto().hash("sha256", text, "hex");
  return [Number.parseInt(digest.slice(0, 8), 16), Number.parseInt(digest.slice(8, 16), 16)];
}

/** A text that is equal for rows with the same keys and properties, as the service compares values. */
function canonicalText(row: StoredEntity): string {
  const members: unknown[] = [row.PartitionKey, row.RowKey];
  for (const name of namesOf(row)) {
    const value = row[name];
    if (value === undefined) continue;
    const type = edmTypeOf(value, row[annotationOf(name)]);
    members.push(name, type, canonicalValue(type, value));
  }
  return JSON.stringify(members);
}

/** Consecutive rows usually have the same members. */
let last: { readonly members: readonly string[]; readonly names: readonly string[] } = {
  members: [],
  names: [],
};

/** The names of a row's properties, sorted. */
function namesOf(row: StoredEntity): readonly string[] {
  const members = Object.keys(row);
  const isSame =
    members.length === last.members.length && members.every((name, i) => name === last.members[i]);
  if (!isSame) last = { members, names: members.filter((name) => !isSystemName(name)).toSorted() };
  return last.names;
}
