import type { CommandLine } from "../command-line.ts";

export function help(program: CommandLine): void {
  program
    .command("help")
    .summary("Show the help of a command.")
    .description("Show the help of a command. Without a command, list all of them.")
    .argument("[command...]", "The name of a command, such as query or files put.")
    .examples("partita help query", "partita help files put")
    .does(async (names) => {
      const found = commandOf(program, names);
      // The parser suggests a similar name.
      if (found === undefined) await program.parseAsync(names, { from: "user" });
      else found.outputHelp();
      return 0;
    });
}

/** Words after the name of a command without subcommands are ignored. */
function commandOf(within: CommandLine, [name, ...names]: readonly string[]): CommandLine | undefined {
  const commands = within.commands as readonly CommandLine[];
  if (name === undefined || commands.length === 0) return within;
  const found = commands.find((each) => each.name() === name);
  return found && commandOf(found, names);
}
