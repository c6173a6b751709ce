import { WorkflowError } from "./workflow-error.ts";

/** The error of a run whose deliveries all ended before a step was recorded, and left no error of their own. */
export const exhausted = (name: string, attempts: number): WorkflowError =>
  new WorkflowError(
    "workflow.exhausted",
    `A run of workflow "${name}" was delivered ${attempts} times without a step that was recorded: its step fails, or ends the process. Mend it, and call retry(places, id).`,
    { workflow: name, attempts },
  );
