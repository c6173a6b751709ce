import { tracingChannel, type TracingChannel } from "node:diagnostics_channel";
import { traceWithoutResult } from "@partita/core/internal";

/** The tracing channel of executed steps, `partita:step`. Without inputs and outputs. */
const channel: TracingChannel<object> = tracingChannel("partita:step");

/** A step that is about to be executed. */
interface TracedStep {
  readonly workflow: string;
  readonly id: string;
  readonly step: string;
  readonly n: number;
}

/** Executes a step and publishes it. */
export const traceStep = <Result>(about: TracedStep, work: () => Promise<Result>): Promise<Result> =>
  traceWithoutResult(channel, about, work);
