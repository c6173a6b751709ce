import { etagOf, withEtag } from "../model/codec/row-layout.ts";
import type { StoredEntity } from "../values/edm/stored-entity.ts";
import { followQuery } from "../storage/follow-pages.ts";
import type { RowReader } from "../storage/row-reader.ts";
import { readRows } from "../storage/store-engine.ts";
import type { RequestOptions, TableStorage } from "../storage/table-storage.ts";
import { type Retries, retryRead } from "../storage/with-retry.ts";
import { hashOfText } from "./row-sums.ts";

/**
 * The versions of a set of rows, whatever its size: the sum of a hash of each key and ETag, as `RowSums` has them of what
 * rows hold. Two equal ones are of the same rows in the same versions, so none of them was changed in between.
 */
export class StoredVersions {
  #low = 0;
  #high = 0;
  #count = 0;
  #isKnown = true;

  add(
    { PartitionKey, RowKey }: Pick<StoredEntity, "PartitionKey" | "RowKey">,
    etag: string | undefined,
  ): void {
    // Keys have no line feeds.
    const [low, high] = hashOfText(`${PartitionKey}\n${RowKey}\n${etag}`);
    this.#low = (this.#low + low) >>> 0;
    this.#high = (this.#high + high) >>> 0;
    this.#count++;
    this.#isKnown &&= etag !== undefined;
  }

  /** To be called where a row is not known: then nothing equals them. */
  forget(): void {
    this.#isKnown = false;
  }

  equals(other: StoredVersions): boolean {
    const isKnown = this.#isKnown && other.#isKnown;
    return isKnown && this.#count === other.#count && this.#low === other.#low && this.#high === other.#high;
  }
}

/** Reads keys and ETags alone. */
const versionReader: RowReader = {
  projects: true,
  readList: () => undefined,
  readBody: ({ partitionKey, rowKey, etag }) =>
    withEtag({ PartitionKey: partitionKey, RowKey: rowKey }, etag),
};

/** Reads the versions of all rows of a table. @param onRead - is called with the number of rows after each page */
export async function readVersions(
  storage: TableStorage,
  table: string,
  retries: Retries,
  options: RequestOptions,
  onRead: (rows: number) => void,
): Promise<StoredVersions> {
  const versions = new StoredVersions();
  const pages = followQuery(table, { select: ["PartitionKey", "RowKey"] }, (query) =>
    retryRead(retries, options, (own) => readRows(storage, table, query, versionReader, own)),
  );
  for await (const page of pages) {
    const rows = page.rows as readonly StoredEntity[];
    for (const row of rows) versions.add(row, etagOf(row));
    onRead(rows.length);
  }
  return versions;
}
