import type { CommandLine } from "../command-line.ts";
import { names, wholeNumber } from "../session/option-values.ts";
import { exitCodes, storageFirst } from "./shared.ts";

export function query(program: CommandLine): void {
  storageFirst(program.command("query"))
    .summary("Print rows of a table, or entities of a class.")
    .description(
      "Print the rows of a table that match an OData filter. With --module, print the entities of a class that match conditions on its properties, after the query plan and its rating.",
    )
    .argument("<table or class>", "The name of a table. With --module, the name of an exported class.")
    .option(
      "--filter <odata>",
      "For a table: a filter on stored names, \"PartitionKey eq 'a' and Rating gt 3\".",
    )
    .option("--module <module.js>", "A compiled module that exports the class.")
    .option("--where <json>", 'For a class: {"channel":"Channel9","postedOn":{"ge":"2024-01-01T00:00:00Z"}}.')
    .option("--scan", "Allow a query that reads the complete table.")
    .option("--explain", "Print the plan, and read nothing.")
    .option("--select <names>", "Properties to print, separated by commas.", names("--select"))
    .option("--top <n>", "Maximum number of rows to print. Default in a terminal: 100.", wholeNumber("--top"))
    .option("--all", "Print all rows in a terminal too.")
    .option(
      "--json",
      "Print lines of JSON in a terminal too. Otherwise they are only printed to files and pipes.",
    )
    .examples(
      `partita query file:places.db Places --filter "PartitionKey eq 'JP'" --select name --top 2`,
      `partita query file:places.db City --module places.ts --where '{"partitionKey":"JP"}' --top 2`,
    )
    .notes(
      "All conditions of --where must hold. A plain value means equality. The comparisons are eq, ne, gt, ge, lt, le, between and",
      "in (with a list), startsWith, and exists (with true or false). Dates and big integers are text. The plan is printed to",
      "standard error. A query that would read the complete table to find its rows is refused without --scan. Without a filter,",
      "--top or a terminal's limit also allows it, because it then reads only the first rows.",
      exitCodes,
    )
    .does(async (args, options) => (await import("../data/query.ts")).query(args, options));
}
