import type { Client } from "./client.ts";
import type { Notes } from "./notes.ts";
import type { State } from "./state.ts";
import type { Step } from "./store.ts";

/** Makes one step of a context. */
export type Go = (label: string, change: (client: Client) => void) => Step;

/** Whether a request may fail, or lose its response. */
export const canFail = ({ left }: State, { isCalm }: Notes): boolean => !isCalm && left.faults > 0;
