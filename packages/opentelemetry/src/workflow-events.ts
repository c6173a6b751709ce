/** The processing of a message, as published by `@partita/workflows` in `partita:task`. */
export interface TaskEvent {
  readonly queue: string;
  readonly deliveries: number;
  /** Absent for a message that could not be parsed. */
  readonly kind?: "task" | "workflow" | "outbox";
  /** Name of the task or workflow. */
  readonly name?: string;
}

/** A step of a workflow, as published in `partita:step`. */
export interface StepEvent {
  readonly workflow: string;
  readonly step: string;
  /** Its position among the steps with its name. */
  readonly n: number;
}
