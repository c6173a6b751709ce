import { tracingChannel, type TracingChannel } from "node:diagnostics_channel";

/** Steps that are done, for tracing: `partita:step`. Without inputs and outputs. */
const channel: TracingChannel<object> = tracingChannel("partita:step");

/** A step that is about to be done. */
interface TracedStep {
  readonly workflow: string;
  readonly id: string;
  readonly step: string;
  readonly n: number;
}

/** Tracing channels publish what a promise resolves to: outputs are kept from them. */
export async function traceStep<Result>(about: TracedStep, work: () => Promise<Result>): Promise<Result> {
  if (channel.hasSubscribers === false) return work();
  let result: Result | undefined;
  await channel.tracePromise(
    async () => {
      result = await work();
    },
    { ...about },
  );
  return result as Result;
}
