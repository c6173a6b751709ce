/**
 * The measure of a benchmark: CPU time of this thread, CPU time of this process with all threads, or wall
 * time.
 */
export type Clock = "thread" | "process" | "wall";

/** Reads a clock, in nanoseconds. Returns a promise if another process has the clock. */
export type ReadClock = () => number | Promise<number>;

interface CpuUsage {
  readonly user: number;
  readonly system: number;
}

const nanoseconds = ({ user, system }: CpuUsage): number => (user + system) * 1000;

const ofProcess = (): number => nanoseconds(process.cpuUsage());

/**
 * Node 24 has a clock for one thread. Older versions only have one for the process, which includes helper
 * threads.
 */
const threadCpuUsage = (process as { readonly threadCpuUsage?: () => CpuUsage }).threadCpuUsage;

const ofThread: () => number =
  threadCpuUsage === undefined
    ? ofProcess
    : () => {
        // Linux counts a running thread in ticks of milliseconds. Reading the process clock updates the
        // count.
        process.cpuUsage();
        return nanoseconds(threadCpuUsage.call(process));
      };

const clocks: Readonly<Record<Clock, () => number>> = {
  thread: ofThread,
  process: ofProcess,
  wall: () => performance.now() * 1e6,
};

export const clockOf = (clock: Clock): (() => number) => clocks[clock];

/** A clock in words. */
export const describeClock = (clock: Clock): string =>
  clock === "wall"
    ? "wall time"
    : clock === "process" || threadCpuUsage === undefined
      ? "CPU time of the process"
      : "CPU time of the main thread";
