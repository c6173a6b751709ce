import { kindChooser } from "../model/codec/choose-kind.ts";
import { markerLifeMs } from "../model/codec/commit-rows.ts";
import { timestampOf } from "../model/codec/row-layout.ts";
import type { StoredEntity } from "../values/edm/stored-entity.ts";
import { ModelError } from "../values/errors/model-error.ts";
import { beginsWith } from "../values/filter/begins-with.ts";
import type { EntityClass } from "../model/declaration/entity-definition.ts";
import { type EntityModel, markerPrefix } from "../model/declaration/entity-model.ts";
import { abortSignal, accepted, aFunction } from "../values/options/checks.ts";
import { type CheckOptions, defineOptions } from "../values/options/define-options.ts";
import { followPages } from "../storage/follow-pages.ts";
import type { RequestOptions, TableStorage } from "../storage/table-storage.ts";
import { retryReads, retriesOf } from "../storage/with-retry.ts";
import { removeRows } from "./remove-rows.ts";

/** Options of `sweepMarkers`. */
export interface SweepOptions {
  /**
   * The minimum age of markers to delete, in milliseconds; default and minimum: one hour. A marker must outlive any
   * request that may still arrive; the outcome of a write can be found out for that long.
   */
  readonly olderThanMs?: number | undefined;
  /** Called after each page with the number of markers deleted so far. */
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
 * Deletes old markers from a table with `proof: "marker"`. Every transaction leaves one. In programs that run for
 * longer than an hour, later transactions of a partition delete a few of its old markers. You can run this call at any
 * time, during writes and other sweeps, and stop and restart it. Ages are measured with the storage's own clock.
 *
 * @param classes - classes of one table
 * @returns the number of markers it deleted
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
  const filter = beginsWith("RowKey", markerPrefix);
  for await (const page of followPages(reading, table, { filter }, request)) {
    const now = storage.reachedTime?.() ?? Date.now();
    const isOld = (row: StoredEntity): boolean =>
      row.RowKey.startsWith(markerPrefix) && Date.parse(timestampOf(row) ?? "") <= now - olderThanMs;
    removed += await removeRows(storage, table, page.entities.filter(isOld), request);
    onProgress?.(removed);
  }
  return removed;
}
