import type { EntityKey, TableStorage } from "@partita/core";
import { keyOfStored, type Retries, type RowReader } from "@partita/core/internal";
import { etagOf } from "@partita/core/internal/jobs";
import { followRows } from "../jobs/follow-rows.ts";
import type { RequestOptions, StoredEntity } from "@partita/core/storage";

/**
 * The versions of a set of rows of any size: the sum of a hash of each key and ETag, as in `RowSums` for contents.
 * Equal sums mean the same rows in the same versions, so none was changed in between.
 *
 * The hash has two halves of 32 bits, made like FNV-1a with other numbers, and mixed like the last steps of
 * MurmurHash3. Storage assigns versions, not users, so the hash need not resist deliberate collisions.
 */
export class StoredVersions {
  #low = 0;
  #high = 0;
  #count = 0;
  #isKnown = true;

  add({ partitionKey, rowKey }: EntityKey, etag: string | undefined): void {
    this.#isKnown &&= etag !== undefined;
    let [low, high] = [0x9e_37_79_b9, 0x85_eb_ca_6b];
    for (const text of [partitionKey, rowKey, etag ?? ""])
      // One round more than characters, so the end of each text counts, too.
      for (let i = 0; i <= text.length; i++) {
        const unit = i < text.length ? text.charCodeAt(i) : endOfText;
        low = Math.imul(low ^ unit, 0x9e_37_79_b1);
        high = Math.imul(high ^ unit, 0x5f_35_64_95);
      }
    this.#low = (this.#low + (mixed(low) ^ mixed(high ^ 0x27_d4_eb_2f))) >>> 0;
    this.#high = (this.#high + (mixed(high) ^ mixed(low ^ 0x16_56_67_b1))) >>> 0;
    this.#count++;
  }

  /** Call this if a row's version is unknown: then no other versions are equal. */
  forget(): void {
    this.#isKnown = false;
  }

  equals(other: StoredVersions): boolean {
    const isKnown = this.#isKnown && other.#isKnown;
    return isKnown && this.#count === other.#count && this.#low === other.#low && this.#high === other.#high;
  }
}

/** Not a UTF-16 unit. */
const endOfText = 0x1_00_00;

function mixed(half: number): number {
  let bits = Math.imul(half ^ (half >>> 16), 0x85_eb_ca_6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2_b2_ae_35);
  return bits ^ (bits >>> 16);
}

/** Reads only keys and ETags. */
const versionReader: RowReader = {
  projects: true,
  isBare: true,
  readList: () => undefined,
  readBody: ({ partitionKey: PartitionKey, rowKey: RowKey, etag }) =>
    etag === undefined ? { PartitionKey, RowKey } : { PartitionKey, RowKey, "odata.etag": etag },
};

/** Reads the versions of all rows of a table. @param onRead - called with the number of rows after each page */
export async function readVersions(
  storage: TableStorage,
  table: string,
  retries: Retries,
  request: RequestOptions,
  onRead: (rows: number) => void,
): Promise<StoredVersions> {
  const versions = new StoredVersions();
  const query = { select: ["PartitionKey", "RowKey"] };
  const pages = followRows(storage, table, query, { retries, request, reader: versionReader });
  for await (const page of pages) {
    const rows = page.rows as readonly StoredEntity[];
    for (const row of rows) versions.add(keyOfStored(row), etagOf(row));
    onRead(rows.length);
  }
  return versions;
}
