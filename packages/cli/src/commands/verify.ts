import type { CommandLine } from "../command-line.ts";

export function verify(program: CommandLine): void {
  program
    .command("verify")
    .summary("Checks the file of an embedded store.")
    .description(
      "Checks the file of an embedded store: its pages, each row and its checksum, keys, indexes, and that no row is lost.",
    )
    .argument("<file>", "The path of the file.")
    .notes(
      "The file is only read, and may be in use meanwhile. It is checked in one state, whatever is written while that takes.",
      "Findings are printed a line each, with the table and the keys of the row, and without values of properties.",
      "The exit code is 0 when the file is sound, and 1 when it is not.",
    )
    .does(async (args) => (await import("../verify/verify.ts")).verify(args));
}
