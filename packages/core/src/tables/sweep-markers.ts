import { kindChooser } from "../model/codec/choose-kind.ts";
import { markerFilter, markerLifeMs } from "../model/codec/commit-rows.ts";
import { reservedForOf } from "../model/codec/row-layout.ts";
import { timestampOf } from "../model/codec/row-layout.ts";
import type { StoredEntity } from "../values/edm/stored-entity.ts";
import { ModelError } from "../values/errors/model-error.ts";
import type { EntityClass } from "../model/declaration/entity-definition.ts";
import type { EntityModel } from "../model/declaration/entity-model.ts";
import { abortSignal, accepted, aFunction } from "../values/options/checks.ts";
import { type CheckOptions, defineOptions } from "../values/options/define-options.ts";
import { followPages } from "../storage/follow-pages.ts";
import type { RequestOptions, TableStorage } from "../storage/table-storage.ts";
import { retryReads, retriesOf } from "../storage/with-retry.ts";
import { removeRows } from "./remove-rows.ts";

/** How markers are swept. */
export interface SweepOptions {
  /**
   * The age from which markers are removed, in milliseconds; an hour at least, which is the default. A marker must live longer
   * than any request that may still arrive; what became of a write can be asked for that long.
   */
  readonly olderThanMs?: number | undefined;
  /** Called with the markers removed so far, after each page. */
  readonly onProgress?: ((removed: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

const checkOptions: CheckOptions = defineOptions<SweepOptions>(
  "sweepMarkers(storage, classes, options)",
  {
    olderThanMs: accepted(
      `milliseconds, ${markerLifeMs} or more`,
      (ms) => typeof ms === "number" && ms >= markerLifeMs,
    ),
    onProgress: aFunction,
    signal: abortSignal,
  },
  "maintenance.option",
);

/**
 * Removes the old markers of a table with `proof: "marker"`, which every transaction leaves behind; later transactions of a
 * partition remove a few of its own, of programs that run for longer than an hour. It may run at any time,
 * beside writers and other sweeps, and be stopped and begun again. Ages are measured by the store's own clock.
 *
 * @param classes - classes of one table
 * @returns how many it removed
 * @throws ModelError `model.no-markers` for a table without markers; OptionError `maintenance.option`; StorageError
 */
export async function sweepMarkers(
  storage: TableStorage,
  classes: readonly EntityClass[],
  options: SweepOptions = {},
): Promise<number> {
  checkOptions(options);
  const { table, models } = kindChooser(classes);
  const model = models[0] as EntityModel;
  if (model.options.proof !== "marker")
    throw new ModelError(
      "model.no-markers",
      `The table ${table} has no markers to sweep. Tables of classes with proof: "marker" have some.`,
      { entity: model.name },
    );
  const { olderThanMs = markerLifeMs, onProgress, signal } = options;
  const request: RequestOptions = signal === undefined ? {} : { signal };
  const reading = retryReads(storage, retriesOf(storage));
  let removed = 0;
  for await (const page of followPages(reading, table, { filter: markerFilter() }, request)) {
    const now = storage.reachedTime?.() ?? Date.now();
    const isOld = (row: StoredEntity): boolean =>
      reservedForOf(model, row.RowKey) === "marker" &&
      Date.parse(timestampOf(row) ?? "") <= now - olderThanMs;
    removed += await removeRows(storage, table, page.entities.filter(isOld), request);
    onProgress?.(removed);
  }
  return removed;
}
