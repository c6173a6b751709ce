import type { CommandHelp } from "../../../../packages/cli/src/internal.ts";
import type { Page } from "../pages/page.ts";

/** Where the commands are declared. Their pages have no files. */
const source = "packages/cli/src/commands";

/** A page for each command, with its help and that of its subcommands, and a page that lists them. */
export function commandPages(commands: readonly CommandHelp[]): Page[] {
  const lines = commands.map(({ name, path, summary }) => `- [${path}](${name}): ${summary}`);
  const about =
    "Each command of `partita` has a page with its help. The [guide](../../../../docs/command-line.md) shows them at work.";
  const list = `# Commands of partita\n\n${about}\n\n${lines.join("\n")}\n`;
  const pages = commands.map((command) => ({
    source: `${source}/${command.name}`,
    path: pathOf(command.name),
    text: textOf(command),
  }));
  return [{ source: `${source}/README`, path: "commands/index", text: list }, ...pages];
}

/** The page of the command `index` can't be `commands/index`, which lists all commands. */
const pathOf = (name: string): string => `commands/${name === "index" ? "index-command" : name}`;

function textOf(command: CommandHelp): string {
  const below = command.commands.map((each) => `\n## ${each.path}\n\n${helpOf(each)}`);
  return `# ${command.path}\n\n${command.description}\n\n${helpOf(command)}${below.join("")}`;
}

const helpOf = ({ help }: CommandHelp): string => `\`\`\`text\n${help}\n\`\`\`\n`;
