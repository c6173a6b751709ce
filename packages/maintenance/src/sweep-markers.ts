import { type EntityClass, ModelError, type TableStorage } from "@partita/core";
import {
  beginsWith,
  abortSignal,
  accepted,
  aFunction,
  type CheckOptions,
  defineOptions,
  followPages,
  kindChooser,
  retriesOf,
  retryReads,
  rowProperty,
  timestampOf,
} from "@partita/core/internal";
import { markerLifeMs, markerPrefix, outboxPrefix } from "@partita/core/internal/jobs";
import type { EntityModel } from "@partita/core/models";
import type { FilterNode, RequestOptions, StoredEntity } from "@partita/core/storage";
import { removeRows } from "./jobs/remove-rows.ts";

/** Options of `sweepMarkers`. */
export interface SweepOptions {
  /**
   * The minimum age of markers to delete, in milliseconds; default and minimum: one hour. A marker must outlive any
   * request that may still arrive. The outcome of a write can be determined for that long.
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
  const { table, models, kinds } = kindChooser(classes);
  const model = models[0] as EntityModel;
  const settings = [...models, ...kinds].map(({ options }) => options);
  if (!settings.some(({ proof }) => proof === "marker"))
    throw new ModelError(
      "model.no-markers",
      `The table ${table} has no markers to sweep. Tables of classes with proof: "marker" have some.`,
      { entity: model.name },
    );
  const { olderThanMs = markerLifeMs, onProgress, signal } = options;
  const request: RequestOptions = { signal };
  const reading = retryReads(storage, retriesOf(storage));
  let removed = 0;
  // Messages serve as markers, too. A claim of a unique value closes one after its message was handled and deleted.
  const own = beginsWith("RowKey", markerPrefix);
  const messages = beginsWith("RowKey", outboxPrefix);
  const hasMessages = settings.some(({ outbox }) => outbox);
  const filter: FilterNode = hasMessages ? { op: "or", nodes: [own, messages] } : own;
  for await (const page of followPages(reading, table, { filter }, request)) {
    const now = storage.reachedTime?.() ?? Date.now();
    const isOld = (row: StoredEntity): boolean =>
      row[rowProperty] === "marker" && Date.parse(timestampOf(row) ?? "") <= now - olderThanMs;
    removed += await removeRows(storage, table, page.entities.filter(isOld), request);
    onProgress?.(removed);
  }
  return removed;
}
