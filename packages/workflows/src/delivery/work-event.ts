/** The state of a run. */
export type RunState = "running" | "done" | "failed";

/** Events of work, without payloads, inputs and outputs. */
export type WorkEvent =
  | {
      /** A step was executed and recorded. */
      readonly type: "step";
      readonly workflow: string;
      readonly id: string;
      readonly step: string;
      /** Counted from 1. */
      readonly n: number;
      readonly durationMs: number;
    }
  | {
      /**
       * A message arrived for a run that another message is processing, or that has ended. Nothing was done
       * for it.
       */
      readonly type: "duplicate";
      readonly workflow: string;
      readonly id: string;
      readonly found: RunState;
    };
