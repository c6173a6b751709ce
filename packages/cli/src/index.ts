// The front door: the command, for programs that run it themselves.

export { runCommand } from "./run-command.ts";
