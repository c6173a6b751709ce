import type { StoredEntity } from "@partita/core/storage";
import { escaped } from "@partita/core/keys";
import type { VersionPlace } from "../errors/file-errors.ts";
import { versionFormat } from "../rows/file-rows.ts";

/**
 * The versions of a page of rows that may have something to reclaim. Rows are sorted by path, newest version
 * first. The newest current version of a path is still in use, and the newest number of a path must be
 * preserved. The first path of a page is not certain, because a newer version may have been on the page
 * before.
 *
 * @param isOrdered - whether storage returns rows in that order
 */
export function candidatesOf(rows: readonly StoredEntity[], isOrdered: boolean): VersionPlace[] {
  const candidates: VersionPlace[] = [];
  const [first] = rows.map(pathKeyOf);
  const seen = new Set<string>();
  for (const row of rows) {
    const key = pathKeyOf(row);
    const isNewest = isOrdered && key !== first && !seen.has(key);
    const state = row["State"];
    const place = placeOf(row);
    if (place !== undefined && !(isNewest && (state === "current" || state === "reclaimed")))
      candidates.push(place);
    // Versions that are still being written are not visible, so the next row may be the newest current
    // version.
    if (state !== "writing" && state !== "deleted") seen.add(key);
  }
  return candidates;
}

const pathKeyOf = ({ RowKey }: StoredEntity): string => RowKey.slice(0, RowKey.lastIndexOf("!"));

function placeOf(row: StoredEntity): VersionPlace | undefined {
  const key = pathKeyOf(row);
  const path = escaped.decode(key);
  const version = versionFormat.decode(row.RowKey.slice(key.length + 1));
  return path === undefined || version === undefined ? undefined : { path, version };
}
