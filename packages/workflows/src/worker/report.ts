import { isError } from "@partita/core/internal";
import type { WorkerEvent } from "./worker-event.ts";

/**
 * Reports to an observer without passing its errors to the worker. The first error becomes a process warning.
 */
export function reporter(
  onEvent: ((event: WorkerEvent) => unknown) | undefined,
): (event: WorkerEvent) => void {
  if (onEvent === undefined) return () => undefined;
  let isWarned = false;
  const warn = (error: unknown): void => {
    if (isWarned) return;
    isWarned = true;
    const why = isError(error) ? error.name : typeof error;
    process.emitWarning(`onEvent of startWorker() failed (${why}). Later failures are not reported.`, {
      code: "PARTITA_ON_EVENT",
    });
  };
  return (event) => {
    try {
      Promise.resolve(onEvent(event)).catch(warn);
    } catch (error) {
      warn(error);
    }
  };
}
