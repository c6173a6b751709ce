import type { CommandLine } from "../command-line.ts";
import { pageBytes, wholeNumber } from "../session/option-values.ts";

export function pageRanges(program: CommandLine): void {
  program
    .command("page-ranges")
    .summary("Show the written pages of a page blob.")
    .description(
      "Show the written pages of a page blob of Azure Blob Storage as a map. A large blob is read in segments, so each request is answered before its timeout.",
    )
    .argument(
      "<url>",
      "The URL of a blob with a shared access signature. Alternatively a connection string or UseDevelopmentStorage=true, with --blob.",
    )
    .option("--blob <container/name>", "The blob, if <url> is a connection string.")
    .option(
      "--segment <bytes>",
      "Size of the segment that one request covers. Default 150M; 10G needs fewer requests.",
      pageBytes("--segment"),
    )
    .option(
      "--timeout <seconds>",
      "Timeout of each request. Default 90 seconds.",
      wholeNumber("--timeout", 1, 2_000_000),
    )
    .option("--snapshot <time>", "Read a snapshot of the blob.")
    .option("--from <bytes>", "Begins there.", pageBytes("--from"))
    .option("--join", "Join adjacent ranges.")
    .option("--list", "Print each range as first-last byte instead of the map.")
    .option("--svg <file>", "Write the map as a picture.")
    .examples("partita page-ranges UseDevelopmentStorage=true --blob vhds/disk.vhd")
    .notes(
      "If a blob has many fragments, a request for a large segment may fail.",
      "The exit code is 1 if a request fails, and 130 if it was stopped. The output then shows the --from to continue with.",
    )
    .does(async (args, options) => (await import("../page-ranges/page-ranges.ts")).pageRanges(args, options));
}
