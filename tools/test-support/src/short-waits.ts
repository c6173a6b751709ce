import { systemClock } from "@partita/core/internal";
import { afterAll, beforeAll, vi } from "vitest";

/** Retries wait a fiftieth of their time in the file that calls this, for tests with many faults. */
export function shortWaits(): void {
  const { wait } = systemClock;
  beforeAll(() => {
    vi.spyOn(systemClock, "wait").mockImplementation((ms, signal) => wait(ms / 50, signal));
  });
  afterAll(() => vi.mocked(systemClock.wait).mockRestore());
}
