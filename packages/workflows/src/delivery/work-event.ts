/** What a run has come to. */
export type RunState = "running" | "done" | "failed";

/** What work reports of itself. Without payloads, inputs and outputs. */
export type WorkEvent =
  | {
      /** A step was done and recorded. */
      readonly type: "step";
      readonly workflow: string;
      readonly id: string;
      readonly step: string;
      /** Counted from 1. */
      readonly n: number;
      readonly durationMs: number;
    }
  | {
      /** A message came for a run that another message is about, or that has ended; nothing was done for it. */
      readonly type: "duplicate";
      readonly workflow: string;
      readonly id: string;
      readonly found: RunState;
    };
