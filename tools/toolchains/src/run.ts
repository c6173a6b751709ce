import { spawn } from "node:child_process";

/** The output of a program, and its exit status. */
export interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  readonly status: number | null;
}

/** Runs a program to its end without blocking this one, which may be the program's server. */
export function run(
  command: string,
  args: readonly string[],
  cwd?: string,
  env?: NodeJS.ProcessEnv,
): Promise<Ran> {
  const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status) => resolve({ stdout: stdout.trim(), stderr: stderr.trim(), status }));
  });
}

/** Runs a program that must succeed. @throws Error with its output */
export async function runWell(command: string, args: readonly string[], cwd?: string): Promise<string> {
  const { stdout, stderr, status } = await run(command, args, cwd);
  if (status !== 0)
    throw new Error(
      `${command} ${args.join(" ")} ended with ${status}:\n${stdout}\n${stderr}`.slice(0, 2000),
    );
  return stdout;
}
