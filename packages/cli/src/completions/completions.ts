import { UsageError } from "../session/usage-error.ts";
import type { CommandLine } from "../command-line.ts";

/** The words to complete after a command. */
interface Completed {
  /** `files put`. Empty for the words after `partita`. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly summary: string }[];
  readonly options: readonly { readonly flags: readonly string[]; readonly summary: string }[];
}

/** `partita completions`: a shell script for all commands and their options. @throws UsageError */
export function completionsFor(shell: string, program: CommandLine): string {
  const all = completedOf(program, "");
  switch (shell) {
    case "bash":
      return bash(all);
    case "zsh":
      return `#compdef partita\nautoload -U +X bashcompinit && bashcompinit\n${bash(all)}`;
    case "fish":
      return fish(all);
    default:
      throw new UsageError("partita completions needs bash, zsh or fish.");
  }
}

function completedOf(command: CommandLine, path: string): Completed[] {
  const commands = command.commands as readonly CommandLine[];
  const own: Completed = {
    path,
    commands: commands.map((each) => ({ name: each.name(), summary: each.summary() || each.description() })),
    options: command
      .createHelp()
      .visibleOptions(command)
      .map(({ short, long, description }) => ({
        flags: [short, long].filter((flag) => flag !== undefined),
        summary: description,
      })),
  };
  return [own, ...commands.flatMap((each) => completedOf(each, `${path} ${each.name()}`.trim()))];
}

/** The words of known commands select the options to offer. Elsewhere, files are completed. */
function bash(all: readonly Completed[]): string {
  const cases = all.map(({ path, commands, options }) => {
    const words = [...commands.map(({ name }) => name), ...options.flatMap(({ flags }) => flags)];
    return `    ${JSON.stringify(path)}) words=${JSON.stringify(words.join(" "))} ;;`;
  });
  const paths = all.filter(({ path }) => path !== "").map(({ path }) => JSON.stringify(path));
  return `_partita() {
  local word each path="" words="" known=(${paths.join(" ")})
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    for each in "\${known[@]}"; do
      if [[ "$each" == "\${path:+$path }$word" ]]; then path="$each"; break; fi
    done
  done
  case "$path" in
${cases.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _partita partita
`;
}

function fish(all: readonly Completed[]): string {
  const quoted = (text: string): string => `'${text.replaceAll(/[\\']/g, "\\$&")}'`;
  const lines = all.flatMap(({ path, commands, options }) => {
    const names = path.split(" ").filter((name) => name !== "");
    const inside = names.map((name) => `__fish_seen_subcommand_from ${name}`).join("; and ");
    const others = commands.map(({ name }) => name).join(" ");
    const isFirst = `not __fish_seen_subcommand_from ${others}`;
    return [
      ...commands.map(
        ({ name, summary }) =>
          `complete -c partita -n ${quoted(inside === "" ? isFirst : `${inside}; and ${isFirst}`)} -a ${name} -d ${quoted(summary)}`,
      ),
      ...options.map(({ flags, summary }) => {
        const spelt = flags.map((flag) =>
          flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
        );
        const when = inside === "" ? "" : ` -n ${quoted(inside)}`;
        return `complete -c partita${when} ${spelt.join(" ")} -d ${quoted(summary)}`;
      }),
    ];
  });
  return `${lines.join("\n")}\n`;
}
