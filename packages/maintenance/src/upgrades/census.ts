import type { EntityClass, TableStorage } from "@partita/core";
import {
  abortSignal,
  aFunction,
  type CheckOptions,
  defineOptions,
  isEntityRow,
  kindChooser,
  type Retries,
  retriesOf,
  type RowReader,
} from "@partita/core/internal";
import { type LabelNames, labelOf } from "@partita/core/internal/jobs";
import { followRows } from "../jobs/follow-rows.ts";
import { annotationOf, edmTypeOf, isSystemName } from "@partita/core/protocol";
import type { StoredEntity } from "@partita/core/storage";

/** Rows of one kind and version. */
export interface VersionCount {
  /** The kind as stored in the rows; undefined for rows without one. */
  readonly kind: string | undefined;
  /** The version as stored in the rows; undefined for rows without one. */
  readonly version: number | string | undefined;
  readonly count: number;
}

/** Rows with the same properties of the same types. */
export interface ShapeCount {
  /** EDM types by stored name, sorted by name. */
  readonly properties: Readonly<Record<string, string>>;
  readonly count: number;
}

/** Rows of one kind and version, with their shapes. */
export interface CensusEntry extends VersionCount {
  /** The most frequent shapes first; at most 20. */
  readonly shapes: readonly ShapeCount[];
  /** The total number of shapes. */
  readonly shapeCount: number;
}

/** Options of `census`. */
export interface CensusOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called after each page with the number of rows read so far. */
  readonly onProgress?: ((rows: number) => void) | undefined;
}

const maxShapes = 20;

const checkOptions: CheckOptions = defineOptions<CensusOptions>(
  "census(storage, classes, options)",
  {
    signal: abortSignal,
    onProgress: aFunction,
  },
  "maintenance.option",
);

/**
 * Counts the rows of a table by kind, version and shape. It reads the complete table.
 *
 * @param classes - classes of one table; they determine which properties contain kind and version
 */
export async function census(
  storage: TableStorage,
  classes: readonly EntityClass[],
  options: CensusOptions = {},
): Promise<readonly CensusEntry[]> {
  checkOptions(options);
  const entries = new Map<string, { entry: VersionCount; shapes: Map<string, ShapeCount> }>();
  const counted = countedTable(classes);
  for await (const rows of allRows(storage, counted, options))
    for (const row of rows) {
      const { kind, version } = labelOf(row, counted.names);
      const id = JSON.stringify([kind, version]);
      const known = entries.get(id) ?? {
        entry: { kind, version, count: 0 },
        shapes: new Map<string, ShapeCount>(),
      };
      const properties = shapeOf(row);
      const shape = JSON.stringify(properties);
      known.shapes.set(shape, { properties, count: (known.shapes.get(shape)?.count ?? 0) + 1 });
      entries.set(id, { ...known, entry: { ...known.entry, count: known.entry.count + 1 } });
    }
  return [...entries.values()].map(({ entry, shapes }) => ({
    ...entry,
    shapes: [...shapes.values()].toSorted((a, b) => b.count - a.count).slice(0, maxShapes),
    shapeCount: shapes.size,
  }));
}

/** A table, and the stored names of its kind and version. */
export interface CountedTable {
  readonly table: string;
  readonly names: LabelNames;
}

export function countedTable(classes: readonly EntityClass[]): CountedTable {
  const { table, models } = kindChooser(classes);
  const first = models[0] as (typeof models)[number];
  return { table, names: first.options };
}

/**
 * Yields the entities' rows of a table, page by page.
 *
 * @param storage - a storage that retries reads has no engine, so `reader` has no effect then
 * @param reader - makes rows from bytes, if less than the complete row is needed
 */
export async function* allRows(
  storage: TableStorage,
  { table }: CountedTable,
  { signal, onProgress }: CensusOptions,
  reader?: RowReader,
  retries: Retries = retriesOf(storage),
): AsyncGenerator<readonly StoredEntity[]> {
  let rows = 0;
  const pages = followRows(storage, table, {}, { retries, request: { signal }, reader });
  for await (const page of pages) {
    const entities = (page.rows as readonly StoredEntity[]).filter(isEntityRow);
    rows += entities.length;
    if (entities.length > 0) yield entities;
    onProgress?.(rows);
  }
}

function shapeOf(row: StoredEntity): Readonly<Record<string, string>> {
  const names = Object.keys(row)
    .filter((name) => !isSystemName(name))
    .toSorted();
  const types = names.map((name): [string, string] => {
    const value = row[name];
    return [name, value === undefined ? "absent" : edmTypeOf(value, row[annotationOf(name)])];
  });
  return Object.fromEntries(types);
}
