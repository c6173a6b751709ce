import type { StoredEntity } from "@partita/core/storage";
import { escaped } from "@partita/core/keys";
import type { VersionPlace } from "../errors/file-errors.ts";
import { versionFormat } from "../rows/file-rows.ts";

/**
 * The versions of a page of rows that may have something to reclaim. Rows come by path, newest version first; so a current
 * version is the newest current one of its path, and a number that is kept is the newest one, unless one of the same path comes
 * before it, or may have come on the page before.
 *
 * @param isOrdered - whether the store keeps rows in that order
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
    // Versions that are written are not seen yet: the one behind them may be the newest current one.
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
