import { tracingChannel, type TracingChannel } from "node:diagnostics_channel";
import type { EventOfMessage } from "./worker-event.ts";

/** The work of messages, for tracing: `partita:task`. Without payloads and inputs. */
const ofTasks: TracingChannel<object> = tracingChannel("partita:task");

/** Tracing channels publish what a promise resolves to: that is kept from them. */
export async function traceTask<Result>(about: EventOfMessage, work: () => Promise<Result>): Promise<Result> {
  if (ofTasks.hasSubscribers === false) return work();
  let result: Result | undefined;
  await ofTasks.tracePromise(
    async () => {
      result = await work();
    },
    { ...about },
  );
  return result as Result;
}
