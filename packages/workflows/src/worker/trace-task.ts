import { tracingChannel, type TracingChannel } from "node:diagnostics_channel";
import { traceWithoutResult } from "@partita/core/internal";
import type { EventOfMessage } from "./worker-event.ts";

/** The tracing channel of processed messages, `partita:task`. Without payloads and inputs. */
const ofTasks: TracingChannel<object> = tracingChannel("partita:task");

/** Processes a message and publishes it. */
export const traceTask = <Result>(about: EventOfMessage, work: () => Promise<Result>): Promise<Result> =>
  traceWithoutResult(ofTasks, about, work);
