import type { CommandLine } from "../command-line.ts";

export function verify(program: CommandLine): void {
  program
    .command("verify")
    .summary("Checks the file of an embedded store.")
    .description(
      "Checks the file of an embedded store: its pages, each row and its checksum, keys, indexes, and that no row is lost.",
    )
    .argument("<file>", "The path of the file.")
    .option("--repair <new file>", "Copies what is sound of a damaged file into a new one.")
    .notes(
      "The file is only read, and may be in use meanwhile. It is checked in one state, whatever is written while that takes.",
      "Findings are printed a line each, with the table and the keys of the row, and without values of properties.",
      "--repair prints each row that is lost, and never changes the damaged file. It does nothing if the file is sound.",
      "The exit code is 0 when the file is sound, and 1 when it is not.",
    )
    .does(async (args, options) => (await import("../verify/verify.ts")).verify(args, options));
}
