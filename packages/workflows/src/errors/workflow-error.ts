import { brand } from "@partita/core/internal";
import { TableError } from "@partita/core";

/**
 * A task, a workflow or a worker is used wrongly, or a run cannot go on. Codes begin with `workflow.`, or with `outbox.`
 * where a message that belongs to a save is concerned.
 */
export class WorkflowError extends TableError {
  static {
    brand(this, "WorkflowError");
  }
}
