import { expect, test } from "vitest";
import { commandPages } from "../src/generated/command-pages.ts";
import { measurementsPage } from "../src/generated/measurements-page.ts";

type CommandHelp = Parameters<typeof commandPages>[0][number];

const help = (name: string, commands: CommandHelp[] = []): CommandHelp => ({
  name: name.split(" ").at(-1) ?? "",
  path: `partita ${name}`,
  summary: `Does ${name}.`,
  description: `Does ${name}, at length.`,
  help: `Usage: partita ${name}`,
  commands,
});

test("each command has a page with its help and that of its subcommands, and the list has all of them", () => {
  const [list, index, files] = commandPages([help("index"), help("files", [help("files put")])]);

  expect(list).toMatchObject({ path: "commands/index" });
  expect(list?.text).toContain("- [partita files](files): Does files.");
  expect(index).toMatchObject({ path: "commands/index-command" });
  expect(files?.text).toBe(
    "# partita files\n\nDoes files, at length.\n\n```text\nUsage: partita files\n```\n" +
      "\n## partita files put\n\n```text\nUsage: partita files put\n```\n",
  );
});

test("all measurements are on one page, under the address of their file", () => {
  const { source, text } = measurementsPage();

  expect(source).toBe("docs/benchmarks/results.json");
  expect(text).toContain("| A page of 1,000 entities over HTTP, the whole client, for each entity |");
  expect(text).toContain("**missed**");
});
