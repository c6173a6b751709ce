import type { StoredEntity } from "@partita/core/storage";
import { escaped } from "@partita/core/keys";
import type { VersionPlace } from "../errors/file-errors.ts";
import { type FileStore, keepsReplaced } from "../store/file-store.ts";
import { versionFormat } from "../rows/name-rows.ts";

/**
 * The versions of stored rows that may have something to reclaim: those that are not current, and those of zones that
 * keep replaced blocks.
 */
export const candidatesOf = (store: FileStore, rows: readonly StoredEntity[]): VersionPlace[] =>
  rows.flatMap((row) => {
    const place = placeOf(row);
    const isCandidate = place && (row["State"] !== "current" || keepsReplaced(store, place));
    return isCandidate ? place : [];
  });

/** RowKeys are `version!<path>!<version>`. */
function placeOf({ RowKey, Small: isSmall }: StoredEntity): VersionPlace | undefined {
  const [, pathKey = "", versionKey = ""] = RowKey.split("!");
  const path = escaped.decode(pathKey);
  const version = versionFormat.decode(versionKey);
  return path === undefined || version === undefined
    ? undefined
    : { path, version, isSmall: isSmall === true };
}
