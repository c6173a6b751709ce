import { styleText } from "node:util";
import { isNativeError } from "node:util/types";
import type { CommanderError } from "commander";
import type { CommandLine } from "./command-line.ts";
import { program } from "./program.ts";
import { printableLines } from "./terminal/printable.ts";
import { Stopped } from "./session/session.ts";
import { shownError } from "./session/shown-error.ts";
import { UsageError } from "./session/usage-error.ts";
import { withoutSecrets } from "./session/without-secrets.ts";

/**
 * Runs the command `partita` and prints its output.
 *
 * @param args - the arguments after the command's name: `["census", "dist/model.js", "file:blogs.db"]`
 * @returns the exit code: 0 on success, 1 on failure, 2 for a usage error, 130 if it was stopped
 */
export async function runCommand(args: readonly string[]): Promise<number> {
  try {
    return await run(args);
  } catch (error) {
    // Commander throws after it prints help or the version. If the user did not request help, it is a usage
    // error.
    if (isCommanderError(error)) return error.exitCode === 0 ? 0 : 2;
    // Print code and message without a stack, since the message is for the user.
    const shown = shownError(error);
    console.error(
      styleText("red", printableLines(withoutSecrets(shown.message)), { stream: process.stderr }),
    );
    return codeOf(shown);
  }
}

function codeOf(error: Error): number {
  if (Stopped.is(error)) return 130;
  return UsageError.is(error) ? 2 : 1;
}

const isCommanderError = (error: unknown): error is CommanderError =>
  isNativeError(error) && error.name === "CommanderError";

async function run([name, ...args]: readonly string[]): Promise<number> {
  const partita = program();
  if (name === undefined) {
    partita.outputHelp();
    return 0;
  }
  const command = (partita.commands as readonly CommandLine[]).find((each) => each.name() === name);
  await partita.parseAsync([name, ...(command?.arrange(args) ?? args)], { from: "user" });
  return partita.exitCode;
}
