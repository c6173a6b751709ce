import { createRequire } from "node:module";
import { CommandLine, type Declare } from "./command-line.ts";
import { allCommands } from "./commands/all-commands.ts";

/** The command `partita` with all its subcommands. Nothing runs yet. */
export function program(groups: Readonly<Record<string, readonly Declare[]>> = allCommands): CommandLine {
  const partita = new CommandLine("partita")
    .description("Work with tables of Azure Table Storage and of files, and with the models of Partita.")
    .version(ownVersion(), "-v, --version", "Print the version.")
    // Options after a subcommand belong to it: `files cat --version 3`.
    .enablePositionalOptions()
    .notes("For the help of one command: partita help <command>.");
  for (const [heading, commands] of Object.entries(groups)) {
    partita.commandsGroup(heading);
    for (const declare of commands) declare(partita);
  }
  return partita;
}

function ownVersion(): string {
  const { version } = createRequire(import.meta.url)("@partita/cli/package.json") as {
    readonly version: string;
  };
  return version;
}
