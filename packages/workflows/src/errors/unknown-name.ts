import { WorkflowError } from "./workflow-error.ts";

/** A message names what the worker does not know. */
export const unknownName = (kind: "task" | "workflow", name: string): WorkflowError =>
  new WorkflowError(
    "workflow.unknown-name",
    `The worker has no ${kind} named ${JSON.stringify(name.slice(0, 80))}. Pass it to startWorker({ ${kind}s }), and send its message again.`,
    { [kind]: name },
  );
