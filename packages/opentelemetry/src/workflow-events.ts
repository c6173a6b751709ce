/** The work of a message, as `@partita/workflows` publishes it in `partita:task`. */
export interface TaskEvent {
  readonly queue: string;
  readonly deliveries: number;
  /** Absent for a message that was not understood. */
  readonly kind?: "task" | "workflow" | "outbox";
  /** Of the task or workflow. */
  readonly name?: string;
}

/** A step of a workflow, as it is published in `partita:step`. */
export interface StepEvent {
  readonly workflow: string;
  readonly step: string;
  /** Its place among the steps of its name. */
  readonly n: number;
}
