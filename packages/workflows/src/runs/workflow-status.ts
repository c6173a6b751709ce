import type { TableStorage } from "@partita/core";
import { systemClock } from "@partita/core/rest";
import type { AnyWorkflow } from "./workflow.ts";
import { readRow, readSteps } from "./run-record.ts";
import { joinedValue, type StepRecord } from "./run-rows.ts";
import type { RunState } from "../delivery/work-event.ts";

/** A recorded step. */
export interface RecordedStep {
  /** Counted from 1. */
  readonly n: number;
  readonly name: string;
  readonly type: "run" | "sleep";
  readonly recordedAt: Date;
  /** End of a sleep. */
  readonly until?: Date;
  /** Its output. Absent if it returned nothing. */
  readonly output?: unknown;
  /** Its error, if the workflow caught it. */
  readonly error?: { readonly code?: string; readonly message: string };
}

/** The progress of a run. */
export interface WorkflowStatus {
  readonly id: string;
  readonly state: RunState;
  readonly startedAt: Date;
  /** The time when it was done or failed. */
  readonly endedAt?: Date;
  /** Deliveries since the last recorded step. */
  readonly attempts: number;
  /** Its history, in order. */
  readonly steps: readonly RecordedStep[];
  readonly input?: unknown;
  /** The workflow's output. Absent if it returned nothing, or has not ended. */
  readonly output?: unknown;
  /** The last failure since a step was recorded. */
  readonly error?: { readonly code?: string; readonly message: string };
}

/** State and history of a run. Undefined if no worker has started it. */
export async function workflowStatus(
  storage: TableStorage,
  workflow: Pick<AnyWorkflow, "name">,
  id: string,
): Promise<WorkflowStatus | undefined> {
  const stored = await readRow({ storage, clock: systemClock }, { workflow: workflow.name, run: id });
  if (stored === undefined) return undefined;
  const { row, steps } = await readSteps(stored);
  const { state, startedAt, endedAt, attempts, errorCode, error } = row;
  return {
    id,
    state,
    startedAt,
    attempts,
    ...(endedAt !== undefined && { endedAt }),
    steps: [...steps.values()].map(recordedStep),
    ...valueAs("input", joinedValue(row.input, row.inputRest)),
    ...valueAs("output", joinedValue(row.output, row.outputRest)),
    ...errorMember(errorCode, error),
  };
}

const recordedStep = ({
  n,
  name,
  type,
  recordedAt,
  until,
  output,
  outputRest,
  errorCode,
  error,
}: StepRecord): RecordedStep => ({
  n,
  name,
  type,
  recordedAt,
  ...(until !== undefined && { until }),
  ...valueAs("output", joinedValue(output, outputRest)),
  ...errorMember(errorCode, error),
});

const errorMember = (code: string | undefined, message: string | undefined): Pick<RecordedStep, "error"> =>
  message === undefined ? {} : { error: { ...(code !== undefined && { code }), message } };

const valueAs = (name: "input" | "output", value: unknown): object =>
  value === undefined ? {} : { [name]: value };
