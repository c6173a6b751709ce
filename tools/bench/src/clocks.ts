/** What a benchmark counts: CPU time of this thread, of all threads of this process, or the time on the wall. */
export type Clock = "thread" | "process" | "wall";

/** Reads a clock, in nanoseconds; a promise where another process has it. */
export type ReadClock = () => number | Promise<number>;

interface CpuUsage {
  readonly user: number;
  readonly system: number;
}

const nanoseconds = ({ user, system }: CpuUsage): number => (user + system) * 1000;

const ofProcess = (): number => nanoseconds(process.cpuUsage());

/** Node 24 has a clock for one thread. Before it, only the whole process has one: its helper threads count too then. */
const threadCpuUsage = (process as { readonly threadCpuUsage?: () => CpuUsage }).threadCpuUsage;

const ofThread: () => number =
  threadCpuUsage === undefined
    ? ofProcess
    : () => {
        // Linux counts a running thread by ticks of milliseconds; to ask for the process brings the count up to date.
        process.cpuUsage();
        return nanoseconds(threadCpuUsage.call(process));
      };

const clocks: Readonly<Record<Clock, () => number>> = {
  thread: ofThread,
  process: ofProcess,
  wall: () => performance.now() * 1e6,
};

export const clockOf = (clock: Clock): (() => number) => clocks[clock];

/** What a clock counts, in words. */
export const describeClock = (clock: Clock): string =>
  clock === "wall"
    ? "wall time"
    : clock === "process" || threadCpuUsage === undefined
      ? "CPU time of the process"
      : "CPU time of the main thread";
