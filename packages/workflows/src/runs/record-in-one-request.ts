import type { TableStorage } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import { internalTables } from "@partita/core/internal";
import type { StepRecord } from "./run-rows.ts";

/** The version of a run's row for recording a step. */
export interface RunVersion {
  readonly partitionKey: string;
  readonly etag: string;
}

/**
 * Records a step like a save of both rows, but in a single request, because steps take most of a workflow's
 * time. It does not handle errors: the next read of the run shows whether the step was recorded.
 *
 * @returns the new version of the run's row
 */
export async function recordInOneRequest(
  storage: TableStorage,
  { partitionKey, etag }: RunVersion,
  step: StepRecord,
  signal: AbortSignal,
): Promise<string | undefined> {
  const run: StoredEntity = {
    PartitionKey: partitionKey,
    RowKey: "!",
    Attempts: 0,
    Steps: step.n,
  };
  const [changed] = await storage.transact(
    internalTables.workflows,
    [
      { type: "merge", entity: run, etag },
      { type: "insert", entity: rowOf(partitionKey, step) },
    ],
    { signal },
  );
  return changed?.etag;
}

/** The row of a step, with the members of the class `StepRow`. */
function rowOf(
  partitionKey: string,
  { n, name, type, recordedAt, output, outputRest }: StepRecord,
): StoredEntity {
  return {
    PartitionKey: partitionKey,
    RowKey: `s!${String(n).padStart(6, "0")}`,
    Kind: "step",
    Name: name,
    Type: type,
    "RecordedAt@odata.type": "Edm.DateTime",
    RecordedAt: recordedAt.toISOString(),
    Output: output,
    OutputRest: outputRest,
  };
}
