import { join } from "node:path";
import { expect, test } from "vitest";
import type { CommandLine } from "../../src/command-line.ts";
import { program } from "../../src/program.ts";

const docs = join(import.meta.dirname, "../../../../docs/commands");
const commands = program().commands as readonly CommandLine[];

/** The help of a command and of what stands below it, as a page. */
function pageOf(command: CommandLine): string {
  const title = `# ${command.path}\n\n${command.description()}\n\n`;
  const below = (command.commands as readonly CommandLine[]).map(
    (each) => `\n## ${each.path}\n\n${helpOf(each)}`,
  );
  return `${title}${helpOf(command)}${below.join("")}`;
}

function helpOf(command: CommandLine): string {
  let text = "";
  command.configureOutput({ writeOut: (part) => (text += part), getOutHelpWidth: () => 100 });
  command.outputHelp();
  return `\`\`\`text\n${text.trim()}\n\`\`\`\n`;
}

test.each(commands.map((command) => [command.name(), command] as const))(
  "docs/commands/%s.md is what the command says: vitest -u writes it",
  async (name, command) => {
    await expect(pageOf(command)).toMatchFileSnapshot(join(docs, `${name}.md`));
  },
);

test("docs/commands/README.md lists every command", async () => {
  const lines = commands.map((command) => `- [${command.path}](${command.name()}.md): ${command.summary()}`);
  const about = "What `partita` can be asked to do, a page for each command: its help, word for word.";
  await expect(`# The command partita\n\n${about}\n\n${lines.join("\n")}\n`).toMatchFileSnapshot(
    join(docs, "README.md"),
  );
});
