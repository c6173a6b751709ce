import { WorkflowError } from "./workflow-error.ts";

/** The stored part of a step's error. */
export interface Failure {
  readonly errorCode: string | undefined;
  readonly error: string;
}

/** Maximum stored characters of an error's message. */
const longestError = 4000;

/** An error as stored in a run and its steps. */
export function failureOf(error: unknown): Failure {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  return {
    errorCode: typeof code === "string" ? code.slice(0, 200) : undefined,
    error: (typeof message === "string" ? message : "A value that is not an Error was thrown.")
      .slice(0, longestError)
      .toWellFormed(),
  };
}

/**
 * The error that a workflow catches. It is the same whether its step failed just now or in an earlier
 * delivery, so the workflow reacts in the same way.
 */
export const stepFailed = (n: number, step: string, { errorCode, error }: Failure): WorkflowError =>
  new WorkflowError(
    "workflow.step-failed",
    `Step ${JSON.stringify(step.slice(0, 80))} failed and is not retried: ${error}`,
    { n, step, error, ...(errorCode !== undefined && { errorCode }) },
  );

/**
 * The error of a run that used all of its deliveries without recording a step, and left no error of its own.
 */
export const exhausted = (name: string, attempts: number): WorkflowError =>
  new WorkflowError(
    "workflow.exhausted",
    `A run of workflow "${name}" was delivered ${attempts} times without recording a step: its step fails, or ends the process. Fix it, and call retry(places, id).`,
    { workflow: name, attempts },
  );

/** A message refers to a task or workflow that the worker does not have. */
export const unknownName = (kind: "task" | "workflow", name: string): WorkflowError =>
  new WorkflowError(
    "workflow.unknown-name",
    `The worker has no ${kind} named ${JSON.stringify(name.slice(0, 80))}. Pass it to startWorker({ ${kind}s }), and send its message again.`,
    { [kind]: name },
  );
