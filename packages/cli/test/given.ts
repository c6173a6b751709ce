import { CommandLine, type Declare } from "../src/command-line.ts";

/** What a command line gives to a command, which does not run. */
export function given<Options extends object>(
  declare: Declare,
  args: readonly string[],
): { readonly name: string; readonly args: readonly string[]; readonly options: Options } {
  const program = new CommandLine("partita").enablePositionalOptions();
  declare(program);
  const [command] = program.commands as readonly CommandLine[];
  if (command === undefined) throw new Error("The command is not declared.");
  const verbs = command.commands as readonly CommandLine[];
  let ran: CommandLine | undefined;
  for (const each of verbs.length === 0 ? [command] : verbs)
    each.action(() => {
      ran = each;
    });
  program.parse([command.name(), ...command.arrange(args)], { from: "user" });
  if (ran === undefined) throw new Error("Nothing would run.");
  return { name: ran.name(), args: ran.args, options: ran.opts<Options>() };
}
