import type { TableStorage } from "@partita/core";
import { systemClock } from "@partita/core/rest";
import type { AnyWorkflow } from "./workflow.ts";
import { readRun } from "./run-record.ts";
import { joinedValue, type StepRecord } from "./run-rows.ts";
import type { RunState } from "../delivery/work-event.ts";

/** A step that is recorded. */
export interface RecordedStep {
  /** Counted from 1. */
  readonly n: number;
  readonly name: string;
  readonly type: "run" | "sleep";
  readonly recordedAt: Date;
  /** Of a sleep: when it ends. */
  readonly until?: Date;
  /** What it returned; absent where it returned nothing. */
  readonly output?: unknown;
  /** What it failed with, where the workflow caught that. */
  readonly error?: { readonly code?: string; readonly message: string };
}

/** How far a run has come. */
export interface WorkflowStatus {
  readonly id: string;
  readonly state: RunState;
  readonly startedAt: Date;
  /** When it was done, or failed. */
  readonly endedAt?: Date;
  /** Deliveries since a step was recorded last. */
  readonly attempts: number;
  /** Its history, in order. */
  readonly steps: readonly RecordedStep[];
  readonly input?: unknown;
  /** What the workflow returned; absent where it returned nothing, or has not ended. */
  readonly output?: unknown;
  /** What failed last, since a step was recorded. */
  readonly error?: { readonly code?: string; readonly message: string };
}

/** State and history of a run; undefined where no worker has begun it. */
export async function workflowStatus(
  storage: TableStorage,
  workflow: Pick<AnyWorkflow, "name">,
  id: string,
): Promise<WorkflowStatus | undefined> {
  const stored = await readRun({ storage, clock: systemClock }, { workflow: workflow.name, run: id });
  if (stored === undefined) return undefined;
  const { row, steps } = stored;
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
