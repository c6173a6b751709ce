// Runs the command inside a program.

export { runCommand } from "./run-command.ts";
