/** What a run has come to. */
export type RunState = "running" | "done" | "failed";
