import { Zones } from "../paths/zones.ts";
import { declareNameRows, type NameRows } from "./name-rows.ts";
import { partitionOfPath } from "./partition-of-path.ts";
import { deletedId, stateId } from "./row-id.ts";
import {
  type CopiedMark,
  declareOwnRows,
  declareSmallRows,
  type OldRows,
  type VersionRows,
} from "./version-rows.ts";

/**
 * The classes of a file system's rows. It has two tables: `<name>Files` has the names with their versions and
 * the blocks of small versions, and `<name>Blocks` has a partition for each other version.
 */
export interface Rows extends NameRows {
  readonly own: VersionRows;
  readonly small: VersionRows;
  readonly oldOwn: OldRows;
  readonly oldSmall: OldRows;
}

export type HeadRow = InstanceType<Rows["HeadRow"]>;
export type FileRow = InstanceType<Rows["FileRow"]>;
export type { CopiedMark };
type VersionRow = InstanceType<VersionRows>;
export type StateRow = VersionRow & Counts & { next: bigint };
export type OldRow = InstanceType<OldRows> & { size: number; crc: bigint };
export type DeletedRow = VersionRow & Counts;
export type BlockRow = VersionRow & { size: number; crc: bigint };

/** A number of blocks, and of their bytes. */
interface Counts {
  blocks: bigint;
  bytes: bigint;
}

const declared = new Map<string, Rows>();

/**
 * The classes of a file system's rows. Each call returns the same ones, because each class is compiled once.
 */
export function rowsOf(name: string, zones: Zones = new Zones([]), buckets = 1): Rows {
  const key = JSON.stringify([name, zones.paths, buckets]);
  const rows = declared.get(key) ?? declareRows(name, zones, buckets);
  declared.set(key, rows);
  return rows;
}

function declareRows(name: string, zones: Zones, buckets: number): Rows {
  const path = partitionOfPath(zones, buckets);
  return {
    ...declareNameRows(name, path),
    ...declareOwnRows(name),
    ...declareSmallRows(name, path),
  };
}

/** The rows of one version, by their kinds. */
export function byKind(rows: readonly VersionRow[]): {
  readonly state: StateRow | undefined;
  readonly deleted: DeletedRow | undefined;
  readonly blocks: readonly BlockRow[];
} {
  return {
    state: rows.find(({ id }) => id === stateId) as StateRow | undefined,
    deleted: rows.find(({ id }) => id === deletedId) as DeletedRow | undefined,
    blocks: rows.filter(({ id }) => id >= 0n) as BlockRow[],
  };
}
