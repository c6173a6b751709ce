import { vi } from "vitest";
import { runCommand } from "../src/run-command.ts";

/** What a command printed and returned. */
export interface Run {
  readonly code: number;
  readonly out: string;
  readonly errors: string;
}

/** Runs a command in this process. */
export async function run(...args: readonly string[]): Promise<Run> {
  const [out, errors]: [string[], string[]] = [[], []];
  const written = vi
    .spyOn(process.stdout, "write")
    .mockImplementation((chunk: string | Uint8Array, encoding?: unknown, done?: unknown) => {
      out.push(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString());
      const written = typeof encoding === "function" ? encoding : done;
      if (typeof written === "function") (written as () => void)();
      return true;
    });
  const said = vi
    .spyOn(console, "error")
    .mockImplementation((line: unknown) => void errors.push(String(line)));
  try {
    return { code: await runCommand(args), out: out.join(""), errors: errors.join("\n") };
  } finally {
    written.mockRestore();
    said.mockRestore();
  }
}

/** The same in a terminal. */
export async function runInTerminal(...args: readonly string[]): Promise<Run> {
  const { isTTY } = process.stdout;
  process.stdout.isTTY = true;
  try {
    return await run(...args);
  } finally {
    process.stdout.isTTY = isTTY;
  }
}

/** Runs a command that serves until it is stopped: sends SIGINT until it ends. */
export async function runUntilStopped(...args: readonly string[]): Promise<Run> {
  const ended = run(...args);
  let isOver = false;
  void ended.finally(() => (isOver = true));
  while (!isOver) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    process.emit("SIGINT");
  }
  return ended;
}
