import { describe, expect, test } from "vitest";
import { type CommandHelp, readHelp } from "../src/internal.ts";
import { program } from "../src/program.ts";

const withThoseBelow = (command: CommandHelp): CommandHelp[] => [
  command,
  ...command.commands.flatMap(withThoseBelow),
];
const all = readHelp().flatMap(withThoseBelow);

test("every command has its help", () => {
  expect(readHelp().map(({ name }) => name)).toEqual(program().commands.map((each) => each.name()));
  expect(all.length).toBeGreaterThan(30);
});

describe.each(all.map((command) => [command.path, command] as const))(
  "%s --help",
  (path, { help, summary, description }) => {
    test("says how it is called and what it does", () => {
      expect(help).toMatch(new RegExp(`^Usage: ${path} `));
      expect(summary === "" ? description : summary).toMatch(/^\S.*\.$/);
      expect(help.replaceAll(/\s+/g, " ")).toContain(description.replaceAll(/\s+/g, " "));
    });

    test("describes every option", () => {
      const options = Array.from(
        help.matchAll(/^ {2}(-.*?)(?: {2,}|\n {4,}|$)(.*)$/gm),
        ([, option, text]) => [option, text],
      );

      expect(options.map(([option]) => option)).toContain("-h, --help");
      expect(options.filter(([, text]) => text === "")).toEqual([]);
    });

    test("names only options that the command or partita has", () => {
      const named = new Set(help.match(/(?<![\w-])--[a-z][a-z-]*/g));
      const partita = all.map((each) => each.help).join("\n");
      const known = new Set(
        Array.from(partita.matchAll(/^ {2}(?:-\w, )?(--[a-z][a-z-]*)/gm), ([, option = ""]) => option),
      );
      expect([...named].filter((option) => !known.has(option))).toEqual([]);
    });
  },
);
