import { tracingChannel, type TracingChannel } from "node:diagnostics_channel";
import { traceWithoutResult } from "@partita/core/internal";

/** Steps that are done, for tracing: `partita:step`. Without inputs and outputs. */
const channel: TracingChannel<object> = tracingChannel("partita:step");

/** A step that is about to be done. */
interface TracedStep {
  readonly workflow: string;
  readonly id: string;
  readonly step: string;
  readonly n: number;
}

/** Does a step, and publishes it. */
export const traceStep = <Result>(about: TracedStep, work: () => Promise<Result>): Promise<Result> =>
  traceWithoutResult(channel, about, work);
