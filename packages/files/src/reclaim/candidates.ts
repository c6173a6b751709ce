import type { StoredEntity } from "@partita/core/storage";
import { escaped } from "@partita/core/keys";
import type { VersionPlace } from "../errors/file-errors.ts";
import { versionFormat } from "../rows/name-rows.ts";

/** The versions of stored rows that may have something to reclaim: all but the current ones. */
export const candidatesOf = (rows: readonly StoredEntity[]): VersionPlace[] =>
  rows.flatMap((row) => (row["State"] === "current" ? [] : (placeOf(row) ?? [])));

/** RowKeys are `version!<path>!<version>`. */
function placeOf({ RowKey, Small: isSmall }: StoredEntity): VersionPlace | undefined {
  const [, pathKey = "", versionKey = ""] = RowKey.split("!");
  const path = escaped.decode(pathKey);
  const version = versionFormat.decode(versionKey);
  return path === undefined || version === undefined
    ? undefined
    : { path, version, isSmall: isSmall === true };
}
