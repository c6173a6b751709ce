import type { EntityClass, EntityKey, TableStorage } from "@partita/core";
import { JobRecord } from "../jobs/job-record.ts";
import { upgradeJobName } from "./upgrade-table.ts";

/** An upgrade of a table that is running in some process, or was interrupted. */
export interface UpgradeUnderWay {
  /** 1 for the first pass over the table. */
  readonly pass: number;
  /**
   * Rows up to here are upgraded or being processed; undefined at the beginning, and in a storage without key order.
   */
  readonly after: EntityKey | undefined;
  /**
   * Pages that workers have claimed and not finished. Pages of a killed process remain until other workers take them
   * over.
   */
  readonly pagesAtWork: number;
  /**
   * Changes whenever a worker makes progress. If it stays the same for the claim timeout (15 seconds), no worker is
   * active.
   */
  readonly mark: string;
}

/**
 * Finds the upgrade that `upgradeTable` would join: with the same classes and versions, in any process. It can be found
 * while rows are upgraded, but not while they are counted afterwards.
 *
 * @param classes - the same as for `upgradeTable`
 * @param options - `checkpoint`: the name of the job, if it has one
 * @returns undefined if there is none, or it has reached the end
 */
export async function findUpgrade(
  storage: TableStorage,
  classes: readonly EntityClass[],
  options: { readonly checkpoint?: string | undefined } = {},
): Promise<UpgradeUnderWay | undefined> {
  const record = new JobRecord(storage, options.checkpoint ?? upgradeJobName(classes), {});
  const cursor = await record.find();
  if (cursor === undefined) return undefined;
  const claims = await record.claims();
  if (cursor.isAtEnd && claims.length === 0) return undefined;
  const { pass, after, etag } = cursor;
  return {
    pass,
    after: after === undefined || "token" in after ? undefined : after,
    pagesAtWork: claims.length,
    mark: JSON.stringify([etag, ...claims.map((claim) => claim.etag)]),
  };
}
