import { writeSync } from "node:fs";

/**
 * Ends a program that has read its first rows. Prints their number, and the CPU time of the process in
 * microseconds.
 */
export function finish(rows: number): never {
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  writeSync(1, JSON.stringify({ rows, cpuUs: userCPUTime + systemCPUTime }));
  process.exit();
}

/** The source of the program: a connection string or a file. */
export const source: string = process.argv[2] ?? "";
