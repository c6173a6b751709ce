import { createTables, SaveError, StorageError, type TableContext } from "@partita/core";
import { FileError } from "../errors/file-error.ts";
import { Zones } from "../paths/zones.ts";
import { rowsOf } from "../rows/rows.ts";
import { contextOf, type FileStore } from "./file-store.ts";

/** The layout of a file system's paths in its tables. */
export interface Layout {
  readonly zones: readonly string[];
  readonly buckets: number;
  /** The zones that keep replaced blocks and metadata. */
  readonly history: readonly string[];
}

/** The layout that a program specifies. Absent values come from the stored layout. */
export type GivenLayout = { readonly [Name in keyof Layout]: Layout[Name] | undefined };

type Tables = Pick<FileStore, "name" | "storage" | "clock" | "retry">;

const key = { layout: "!", row: "!" } as const;

/**
 * The stored layout of a file system. Undefined if no file was ever created in it.
 *
 * @throws FileError `file.destroyed`
 */
export async function readLayout(
  tables: Tables,
  signal: AbortSignal | undefined,
): Promise<Layout | undefined> {
  const layout = await findLayout(tables, contextOf(tables), signal);
  if (layout?.isDestroyed !== true) return layout;
  throw new FileError(
    "file.destroyed",
    "The file system is being destroyed. Call destroy() again until it ends, then you can create files.",
    { name: tables.name },
  );
}

/** Marks the layout, so no program opens the file system any more. */
export async function markDestroyed(tables: Tables, signal: AbortSignal | undefined): Promise<void> {
  const context = contextOf(tables);
  const layout = await findLayout(tables, context, signal);
  if (layout === undefined || layout.isDestroyed === true) return;
  layout.isDestroyed = true;
  try {
    await context.saveChanges({ signal });
  } catch (error) {
    // Another program may have marked it, or this one did and the response was lost.
    const stored = await findLayout(tables, contextOf(tables), signal);
    if (!SaveError.is(error) || stored?.isDestroyed !== true) throw error;
  }
}

async function findLayout(
  { name }: Tables,
  context: TableContext,
  signal: AbortSignal | undefined,
): Promise<(Layout & { isDestroyed?: boolean | undefined }) | undefined> {
  try {
    return await context.find(rowsOf(name).LayoutRow, key, { signal });
  } catch (error) {
    if (StorageError.is(error) && error.code === "storage.table-not-found") return undefined;
    throw error;
  }
}

/**
 * Creates the tables of a file system, and stores its layout unless one is stored.
 *
 * @returns the stored one
 */
export async function makeLayout(
  tables: Tables,
  { zones = [], buckets = 1, history = [] }: GivenLayout,
  signal: AbortSignal | undefined,
): Promise<Layout> {
  const { storage, clock } = tables;
  const { LayoutRow, own } = rowsOf(tables.name);
  await createTables(storage, [LayoutRow, own], { clock, signal });
  const context = contextOf(tables);
  context.create(LayoutRow, { ...key, zones: new Zones(zones).paths, buckets, history });
  try {
    await context.saveChanges({ signal });
  } catch (error) {
    // Another program was first, or this one was and the response was lost.
    if (!SaveError.is(error) || error.conflicts.length + error.unknown.length === 0) throw error;
  }
  const stored = await readLayout(tables, signal);
  if (stored === undefined)
    throw new FileError("file.layout", "The layout of the file system was not stored. Retry.");
  return stored;
}

/** @throws FileError `file.layout` if the program's layout differs from the stored one */
export function checkLayout(given: GivenLayout, stored: Layout): void {
  if (given.zones !== undefined) new Zones(given.zones).checkSame(stored.zones);
  if (given.buckets !== undefined && given.buckets !== stored.buckets)
    throw new FileError(
      "file.layout",
      `The file system was created with ${stored.buckets} bucket(s) for each zone, but opened with ${given.buckets}, so its files would not be found. Open it without buckets, or with the same number.`,
      { stored: stored.buckets, given: given.buckets },
    );
  if (given.history !== undefined && given.history.join("\n") !== stored.history.join("\n"))
    throw new FileError(
      "file.layout",
      `The file system was created with keepReplacedMs for the zones ${JSON.stringify(stored.history)}, but opened with it for ${JSON.stringify(given.history)}. Pass keepReplacedMs above 0 for the same zones. You may change how long it is.`,
      { stored: stored.history, given: given.history },
    );
}
