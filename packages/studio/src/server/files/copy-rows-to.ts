import { copyTable } from "@partita/transfer";
import type { Existing, TransferSummary } from "../../api/transfers.ts";
import type { JobProgress } from "../../api/jobs.ts";
import type { Catalog } from "../tables/catalog.ts";
import { importError } from "./line-problem.ts";
import { summaryOf } from "./import-rows.ts";

/** A copy of a table. */
export interface CopyTask {
  readonly catalog: Catalog;
  readonly table: string;
  /** The storage to copy to, as `openStorage` takes it. Empty for the storage of the studio. */
  readonly target: string;
  readonly as: string;
  readonly existing: Existing;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: JobProgress) => void;
}

/** Copies a table, with progress. */
export async function copyRowsTo(task: CopyTask): Promise<TransferSummary> {
  const { catalog, table, target, as, existing, signal, onProgress } = task;
  const to = target === "" ? undefined : await catalog.core.openStorage(target);
  try {
    const report = await copyTable(catalog.storage, to ?? catalog.storage, table, {
      as,
      existing,
      signal,
      onProgress: ({ read, written }) =>
        onProgress({ phase: "copy", read, total: undefined, upgraded: 0, written }),
    });
    return summaryOf(report);
  } catch (error) {
    throw importError(error);
  } finally {
    await to?.close?.();
  }
}
