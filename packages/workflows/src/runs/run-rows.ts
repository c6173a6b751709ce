import { dateTime, defineEntity, enumOf, int32, text } from "@partita/core";
import { internalTables } from "@partita/core/internal";
import { constant, escaped, padded } from "@partita/core/keys";
import { WorkflowError } from "../errors/workflow-error.ts";

/** Runs of workflows: a partition for each run, with its own row first and then its recorded steps. */
const place = { table: internalTables.workflows, partitionKey: { workflow: escaped, run: escaped } };

/**
 * The row of a run. Every recorded step changes it under its ETag, so no two workers can record the same
 * step.
 */
export class RunRow extends defineEntity({
  ...place,
  kind: "run",
  rowKey: { row: constant("!") },
  properties: {
    state: enumOf(["running", "done", "failed"]).named("State"),
    /** Queue id of the message that owns the run. */
    owner: text().named("Owner"),
    /** The delivery of that message that processes the run. An earlier one cannot record any more. */
    delivery: int32().named("Delivery"),
    /** Deliveries since the last recorded step. */
    attempts: int32().named("Attempts"),
    steps: int32().named("Steps"),
    startedAt: dateTime().named("StartedAt"),
    endedAt: dateTime().optional().named("EndedAt"),
    /** The retry that last continued the run. */
    retry: text().optional().named("Retry"),
    errorCode: text().optional().named("ErrorCode"),
    error: text().optional().named("Error"),
    input: text().optional().named("Input"),
    inputRest: text().optional().named("InputRest"),
    output: text().optional().named("Output"),
    outputRest: text().optional().named("OutputRest"),
  },
}) {}

/** One recorded step. */
export class StepRow extends defineEntity({
  ...place,
  kind: "step",
  rowKey: { n: constant("s!", padded(6)) },
  properties: {
    name: text().named("Name"),
    type: enumOf(["run", "sleep"]).named("Type"),
    recordedAt: dateTime().named("RecordedAt"),
    /** End of a sleep. */
    until: dateTime().optional().named("Until"),
    output: text().optional().named("Output"),
    outputRest: text().optional().named("OutputRest"),
    /** Error of a step that failed for the last time, if the workflow caught it. */
    errorCode: text().optional().named("ErrorCode"),
    error: text().optional().named("Error"),
  },
}) {}

/** The data of a recorded step. */
export type StepRecord = Pick<
  StepRow,
  "n" | "name" | "type" | "recordedAt" | "until" | "output" | "outputRest" | "errorCode" | "error"
>;

/** The rows of runs, as classes that share a table. */
export const runClasses = [RunRow, StepRow] as const;

/** Maximum steps of a run: their numbers have six digits. */
export const mostSteps = 999_999;

/** Maximum bytes of an input or output as JSON in UTF-8, the same as for a message. */
const maxBytes = 65_536;

/**
 * UTF-16 units of a String property. Source: learn.microsoft.com "Understanding the Table service data
 * model".
 */
const maxUnits = 32_768;

/** A JSON text in two properties. The second one is used if the text is too long for the first. */
export interface SplitText {
  readonly text?: string;
  readonly rest?: string;
}

/** @throws WorkflowError `workflow.output-too-large` */
export function splitText(text: string | undefined, what: string): SplitText {
  if (text === undefined) return {};
  const bytes = Buffer.byteLength(text);
  if (bytes > maxBytes)
    throw new WorkflowError(
      "workflow.output-too-large",
      `${what} has ${bytes} bytes as JSON, more than the maximum of ${maxBytes}. Store the data in entities, and return their keys.`,
      { bytes, maxBytes },
    );
  if (text.length <= maxUnits) return { text };
  // Not inside a surrogate pair. The rest fits, because a pair has four bytes.
  const end = /[\ud800-\udbff]/.test(text.charAt(maxUnits - 1)) ? maxUnits - 1 : maxUnits;
  return { text: text.slice(0, end), rest: text.slice(end) };
}

/** Joins a split text, as a value. */
export const joinedValue = (text: string | undefined, rest: string | undefined): unknown =>
  text === undefined ? undefined : JSON.parse(text + (rest ?? ""));
