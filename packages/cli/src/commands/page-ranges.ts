import type { CommandLine } from "../command-line.ts";
import { pageBytes, wholeNumber } from "../session/option-values.ts";

export function pageRanges(program: CommandLine): void {
  program
    .command("page-ranges")
    .summary("Shows which pages of a page blob are written.")
    .description(
      "Shows which pages of a page blob of Azure Blob Storage are written, as a map. A large one is read in segments, each of which is answered in time.",
    )
    .argument(
      "<url>",
      "The URL of a blob, ending with a shared access signature; or a connection string, or UseDevelopmentStorage=true, and --blob.",
    )
    .option("--blob <container/name>", "The blob, where <url> is a connection string.")
    .option(
      "--segment <bytes>",
      "The part of the blob that one call asks about: 150M by default; 10G makes fewer calls.",
      pageBytes("--segment"),
    )
    .option(
      "--timeout <seconds>",
      "What each call may take, 90 seconds by default.",
      wholeNumber("--timeout", 1, 2_000_000),
    )
    .option("--snapshot <time>", "Reads a snapshot of the blob.")
    .option("--from <bytes>", "Begins there.", pageBytes("--from"))
    .option("--join", "Makes one of ranges that touch.")
    .option("--list", "Prints each range as first-last byte in place of the map.")
    .option("--svg <file>", "Writes the map as a picture.")
    .notes(
      "A blob with many fragments may not be answered for in large segments.",
      "The exit code is 1 when a call fails, and 130 when it was stopped: what --from goes on with is printed.",
    )
    .does(async (args, options) => (await import("../page-ranges/page-ranges.ts")).pageRanges(args, options));
}
