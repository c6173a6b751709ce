import { setTimeout as sleep } from "node:timers/promises";

/** Reads, and retries after transient failures: a busy service, a lost connection. */
export async function retryRead<Result>(read: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  const [{ adaptive }, { isTransient, waitOf }] = await Promise.all([
    import("@partita/core/rest"),
    import("@partita/core/internal"),
  ]);
  const policy = adaptive();
  for (let failures = 1; ; failures++)
    try {
      return await read();
    } catch (error) {
      if (failures === policy.attempts || signal.aborted || !isTransient(error)) throw error;
      await sleep(waitOf(policy, failures, error), undefined, { signal });
    }
}
