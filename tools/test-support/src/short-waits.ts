import { systemClock } from "@partita/core/internal";
import { beforeAll, vi } from "vitest";

/** Retries wait a fiftieth of their time in the file that calls this, for tests with many faults. */
export function shortWaits(): void {
  beforeAll(() => {
    const own = { ...systemClock };
    const wait = vi.spyOn(systemClock, "wait").mockImplementation((ms, signal) => own.wait(ms / 50, signal));
    return () => wait.mockRestore();
  });
}
