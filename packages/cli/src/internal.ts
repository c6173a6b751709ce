// For the tools of this workspace, not for users: the help of every command.

import type { CommandLine } from "./command-line.ts";
import { program } from "./program.ts";

/** A command as its help describes it. */
export interface CommandHelp {
  /** `query` */
  readonly name: string;
  /** `partita files put` */
  readonly path: string;
  /** One line, as in lists of commands. */
  readonly summary: string;
  readonly description: string;
  /** The text of `--help`. */
  readonly help: string;
  readonly commands: readonly CommandHelp[];
}

/** The help of every command of `partita`, in the order of its own help. */
export const readHelp = (): CommandHelp[] => (program().commands as readonly CommandLine[]).map(helpOf);

function helpOf(command: CommandLine): CommandHelp {
  let help = "";
  command.configureOutput({ writeOut: (part) => (help += part), getOutHasColors: () => false });
  command.outputHelp();
  return {
    name: command.name(),
    path: command.path,
    summary: command.summary(),
    description: command.description(),
    help: help.trim(),
    commands: (command.commands as readonly CommandLine[]).map(helpOf),
  };
}
