import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { completionsFor } from "../../src/completions/completions.ts";
import { program } from "../../src/program.ts";
import { UsageError } from "../../src/session/usage-error.ts";

/** What bash offers for the last of some words. */
function offered(...words: readonly string[]): readonly string[] {
  const script = `${completionsFor("bash", program())}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}; _partita
printf '%s\\n' "\${COMPREPLY[@]}"`;
  return spawnSync("bash", ["-c", script], { encoding: "utf8" }).stdout.trim().split("\n");
}

test("bash completes commands, verbs and options", () => {
  expect(offered("partita", "co")).toEqual(["count", "copy", "compact", "completions"]);
  expect(offered("partita", "create")).toEqual(["create-table"]);
  expect(offered("partita", "drop")).toEqual(["drop-table"]);
  expect(offered("partita", "hel")).toEqual(["help"]);
  expect(offered("partita", "set", "file:a.db", "Rows", "--f")).toEqual(["--filter"]);
  expect(offered("partita", "rm", "file:a.db", "Rows", "--y")).toEqual(["--yes"]);
  expect(offered("partita", "copy", "file:a.db", "prod", "--v")).toEqual(["--verify"]);
  expect(offered("partita", "files", "file:a.db", "pu")).toEqual(["put"]);
  expect(offered("partita", "files", "file:a.db", "put", "--t")).toEqual(["--type"]);
});

test("zsh and fish get every command, and other shells a sentence", () => {
  for (const shell of ["zsh", "fish"])
    for (const { name } of program().commands.map((command) => ({ name: command.name() })))
      expect(completionsFor(shell, program())).toContain(name);
  expect(() => completionsFor("powershell", program())).toThrow(UsageError);
});
