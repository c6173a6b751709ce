import { spawnSync } from "node:child_process";

/** Tells, in plain words, what comes next. */
export const say = (text) => console.log(`\n▸ ${text}`);

/** Runs one of the workspace's tools; a failure ends this program with the tool's own exit code. */
export function run(command, args) {
  const { status, signal, error } = spawnSync(command, args, { stdio: "inherit" });
  if (error !== undefined) console.error(`${command} could not be started: ${error.message}`);
  if (status !== 0 || signal !== null) process.exit(status ?? 1);
}
