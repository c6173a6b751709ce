import { WorkflowError } from "./workflow-error.ts";

/** What is recorded of an error that a step failed with. */
export interface Failure {
  readonly errorCode: string | undefined;
  readonly error: string;
}

/** Characters of an error's message that are stored. */
const longestError = 4000;

/** An error as a run and its steps store it. */
export function failureOf(error: unknown): Failure {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  return {
    errorCode: typeof code === "string" ? code.slice(0, 200) : undefined,
    error: (typeof message === "string" ? message : "Something that is no Error was thrown.")
      .slice(0, longestError)
      .toWellFormed(),
  };
}

/**
 * The error that a workflow catches: the same whether its step failed just now or in an earlier delivery, so that what the
 * workflow does about it is the same, too.
 */
export const stepFailed = (n: number, step: string, { errorCode, error }: Failure): WorkflowError =>
  new WorkflowError(
    "workflow.step-failed",
    `Step ${JSON.stringify(step.slice(0, 80))} failed and is not tried again: ${error}`,
    { n, step, error, ...(errorCode !== undefined && { errorCode }) },
  );

/** The error of a run whose deliveries all ended before a step was recorded, and left no error of their own. */
export const exhausted = (name: string, attempts: number): WorkflowError =>
  new WorkflowError(
    "workflow.exhausted",
    `A run of workflow "${name}" was delivered ${attempts} times without a step that was recorded: its step fails, or ends the process. Mend it, and call retry(places, id).`,
    { workflow: name, attempts },
  );

/** A message names what the worker does not know. */
export const unknownName = (kind: "task" | "workflow", name: string): WorkflowError =>
  new WorkflowError(
    "workflow.unknown-name",
    `The worker has no ${kind} named ${JSON.stringify(name.slice(0, 80))}. Pass it to startWorker({ ${kind}s }), and send its message again.`,
    { [kind]: name },
  );
