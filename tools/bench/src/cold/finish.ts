import { writeSync } from "node:fs";

/** Ends a program that has its first rows: prints how many, and the CPU time of the process in microseconds. */
export function finish(rows: number): never {
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  writeSync(1, JSON.stringify({ rows, cpuUs: userCPUTime + systemCPUTime }));
  process.exit();
}

/** What the program reads from: a connection string or a file. */
export const source: string = process.argv[2] ?? "";
