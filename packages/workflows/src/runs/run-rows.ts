import { dateTime, defineEntity, enumOf, int32, text } from "@partita/core";
import { internalTables } from "@partita/core/internal";
import { constant, escaped, padded } from "@partita/core/keys";
import { WorkflowError } from "../errors/workflow-error.ts";

/** Where runs of workflows are stored: a partition for each run, its own row first and its recorded steps behind it. */
const place = { table: internalTables.workflows, partitionKey: { workflow: escaped, run: escaped } };

/** The row of a run. Whoever records a step changes it under its ETag, so that two cannot record the same one. */
export class RunRow extends defineEntity({
  ...place,
  kind: "run",
  rowKey: { row: constant("!") },
  properties: {
    state: enumOf(["running", "done", "failed"]).named("State"),
    /** The message that the run belongs to: its id in the queue. */
    owner: text().named("Owner"),
    /** Which delivery of it works on the run: an earlier one records nothing any more. */
    delivery: int32().named("Delivery"),
    /** Deliveries since a step was recorded last. */
    attempts: int32().named("Attempts"),
    steps: int32().named("Steps"),
    startedAt: dateTime().named("StartedAt"),
    endedAt: dateTime().optional().named("EndedAt"),
    /** The retry that made the run go on last. */
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
    /** Of a sleep: when it ends. */
    until: dateTime().optional().named("Until"),
    output: text().optional().named("Output"),
    outputRest: text().optional().named("OutputRest"),
    /** Of a step that failed for the last time, and whose failure the workflow caught. */
    errorCode: text().optional().named("ErrorCode"),
    error: text().optional().named("Error"),
  },
}) {}

/** What is known of a recorded step. */
export type StepRecord = Pick<
  StepRow,
  "n" | "name" | "type" | "recordedAt" | "until" | "output" | "outputRest" | "errorCode" | "error"
>;

/** The rows of runs, as classes that share a table. */
export const runClasses = [RunRow, StepRow] as const;

/** Steps of one run: their numbers have six digits. */
export const mostSteps = 999_999;

/** Bytes of an input or output as JSON text in UTF-8: what a message may have, too. */
const maxBytes = 65_536;

/** UTF-16 units of a String property. Source: learn.microsoft.com "Understanding the Table service data model". */
const maxUnits = 32_768;

/** A JSON text in two properties; the second one where it is too long for the first. */
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
      `${what} has ${bytes} bytes as JSON, and ${maxBytes} are the most. Store the data in entities, and return their keys.`,
      { bytes, maxBytes },
    );
  if (text.length <= maxUnits) return { text };
  // Not within a surrogate pair; what is left fits, since a pair has four bytes.
  const end = /[\ud800-\udbff]/.test(text.charAt(maxUnits - 1)) ? maxUnits - 1 : maxUnits;
  return { text: text.slice(0, end), rest: text.slice(end) };
}

/** What was split, as a value. */
export const joinedValue = (text: string | undefined, rest: string | undefined): unknown =>
  text === undefined ? undefined : JSON.parse(text + (rest ?? ""));
