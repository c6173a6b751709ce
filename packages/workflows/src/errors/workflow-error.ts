import { brand } from "@partita/core/internal";
import { TableError } from "@partita/core";

/**
 * A task, a workflow or a worker is used incorrectly, or a run cannot continue. Codes start with `workflow.`,
 * or with `outbox.` for messages that belong to a save.
 */
export class WorkflowError extends TableError {
  static {
    brand(this, "WorkflowError");
  }
}
