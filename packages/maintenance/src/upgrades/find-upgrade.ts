import type { EntityClass, EntityKey, TableStorage } from "@partita/core";
import { JobRecord } from "../jobs/job-record.ts";
import { upgradeJobName } from "./upgrade-table.ts";

/** An upgrade of a table that processes work at, or that was stopped on its way. */
export interface UpgradeUnderWay {
  /** 1 for the first pass over the table. */
  readonly pass: number;
  /**
   * Rows up to here are upgraded or being worked on; undefined at the beginning, and in a storage without key order.
   */
  readonly after: EntityKey | undefined;
  /**
   * Pages that workers have claimed and not finished. Those of a process that was killed stay until other workers
   * take them over.
   */
  readonly pagesAtWork: number;
  /**
   * Changes whenever a worker has made progress: if it stays the same for the claim timeout (15 seconds), no worker
   * is active.
   */
  readonly mark: string;
}

/**
 * Finds the upgrade that `upgradeTable` would join: of the same classes and versions, by any process. It is known
 * while rows are upgraded, not while they are counted afterwards.
 *
 * @param classes - as `upgradeTable` takes them
 * @param options - `checkpoint`: the name of the job, where it was given one
 * @returns undefined where there is none, or it has reached the end
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
