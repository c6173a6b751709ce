import { fileURLToPath } from "node:url";
import { StorageError } from "./errors/storage-error.ts";
import { prefixTables } from "./storage/prefix-tables.ts";
import type { TableStorage } from "./storage/table-storage.ts";

/** Settings of a storage; each kind of storage uses those that concern it. */
export interface OpenOptions {
  /** Put before every table name: several applications or test runs can share one store. */
  readonly tablePrefix?: string;
  /** Embedded: `full` (default) is durable when a promise resolves; `normal` survives a crash of the process only. */
  readonly durability?: "full" | "normal";
  /** Embedded: how long to wait for another process's lock, in milliseconds; default 5000. */
  readonly busyTimeoutMs?: number;
  /** Embedded: milliseconds since 1970, for Timestamps; default `Date.now`. */
  readonly clock?: () => number;
}

/**
 * Opens a store by name: `file:path` for one embedded file, `memory:` for one that ends with the process.
 *
 * @throws StorageError `storage.unknown-target`, or why the store cannot be opened
 */
export async function openStorage(target: string, options: OpenOptions = {}): Promise<TableStorage> {
  const { tablePrefix, ...rest } = options;
  const { openEmbedded } = await import("./adapters/embedded/embedded-storage.ts");
  const storage = await openEmbedded(pathOf(target), rest);
  return tablePrefix === undefined ? storage : prefixTables(storage, tablePrefix);
}

function pathOf(target: string): string {
  if (target === "memory:") return ":memory:";
  const path = target.startsWith("file://")
    ? pathOfUrl(target)
    : target.startsWith("file:")
      ? target.slice("file:".length)
      : undefined;
  if (path !== undefined && path !== "") return path;
  throw new StorageError(
    "storage.unknown-target",
    // The target may be a connection string with a key in it: it is not repeated.
    'This storage target is not known. Use "file:path.db" for an embedded file, or "memory:".',
    { applied: "no" },
  );
}

function pathOfUrl(url: string): string | undefined {
  try {
    return fileURLToPath(url);
  } catch {
    return undefined;
  }
}
