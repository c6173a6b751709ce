import type { CommandLine } from "../command-line.ts";
import { wholeNumber } from "../session/option-values.ts";
import { exitCodes } from "./shared.ts";

export function compact(program: CommandLine): void {
  program
    .command("compact")
    .summary("Make the file of an embedded store smaller.")
    .description("Make the file of an embedded store smaller after many rows were deleted.")
    .argument("<file>", "The path of the file.")
    .option(
      "--wait <s>",
      "How long to wait for other programs, in seconds. Default 30.",
      wholeNumber("--wait", 0),
    )
    .examples("partita compact places.db")
    .notes(
      "The file is rewritten as one transaction, so no row is lost if it is stopped or killed. Other programs can read",
      "meanwhile, and their writes wait. The folder needs free space for two copies of the rows.",
      exitCodes,
    )
    .does(async (args, options) => (await import("../compact/compact.ts")).compact(args, options));
}
