import type { CommandLine } from "../command-line.ts";

export function verify(program: CommandLine): void {
  program
    .command("verify")
    .summary("Check the file of an embedded store.")
    .description(
      "Check the file of an embedded store: its pages, each row and its checksum, keys, indexes, and that no row is lost.",
    )
    .argument("<file>", "The path of the file.")
    .option("--repair <new file>", "Copy the intact rows of a damaged file to a new file.")
    .examples("partita verify places.db")
    .notes(
      "The file is only read, and other programs may use it meanwhile. The check sees one consistent state.",
      "Each finding is printed on a line, with the table and the keys of the row, but without property values.",
      "--repair prints each lost row, and never changes the damaged file. If the file is sound, it does nothing.",
      "The exit code is 0 if the file is sound, and 1 if it is not.",
    )
    .does(async (args, options) => (await import("../verify/verify.ts")).verify(args, options));
}
