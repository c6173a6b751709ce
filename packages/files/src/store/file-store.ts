import { type ContextOptions, type RetryPolicy, TableContext, type TableStorage } from "@partita/core";
import type { Clock } from "@partita/core/storage";
import type { ZonePolicy, Zones } from "../paths/zones.ts";
import type { Rows } from "../rows/rows.ts";
import type { OldRows, VersionRows } from "../rows/version-rows.ts";
import { FileError } from "../errors/file-error.ts";
import type { VersionName, VersionPlace } from "../errors/file-errors.ts";

/** A file system with its known layout. */
export interface FileStore {
  readonly name: string;
  readonly storage: TableStorage;
  readonly rows: Rows;
  readonly zones: Zones;
  readonly buckets: number;
  /** As given. Undefined if no zones were given. */
  readonly policies: Readonly<Record<string, ZonePolicy>> | undefined;
  readonly blockSize: number;
  readonly smallFileBytes: number;
  readonly isReadOnly: boolean;
  /** The zones that keep replaced blocks and metadata. */
  readonly history: ReadonlySet<string>;
  readonly clock: Clock;
  readonly retry: RetryPolicy | undefined;
}

/** A new context for the rows of a file system. */
export function contextOf({
  storage,
  clock,
  retry,
}: Pick<FileStore, "storage" | "clock" | "retry">): TableContext {
  const options: ContextOptions = { clock, retry };
  return new TableContext(storage, options);
}

export const nowOf = ({ clock }: FileStore): Date => new Date(clock.now());

/** The classes of a version's rows. */
export const versionRows = ({ rows }: FileStore, { isSmall }: VersionPlace): VersionRows =>
  isSmall ? rows.small : rows.own;

/** The class of a version's replaced blocks. */
export const oldRows = ({ rows }: FileStore, { isSmall }: VersionPlace): OldRows =>
  isSmall ? rows.oldSmall : rows.oldOwn;

/** Whether replaced blocks and metadata of a path are kept. */
export const keepsReplaced = ({ zones, history }: FileStore, { path }: VersionName): boolean =>
  history.has(zones.of(path));

/** @throws FileError `file.read-only` */
export function checkWritable({ isReadOnly }: Pick<FileStore, "isReadOnly">): void {
  if (isReadOnly)
    throw new FileError(
      "file.read-only",
      "The file system was opened with readOnly: true. Open it without, to change files.",
    );
}
