import type { CommandLine } from "../command-line.ts";
import { wholeNumber } from "../session/option-values.ts";
import { exitCodes, storageFirst } from "./shared.ts";

export function query(program: CommandLine): void {
  storageFirst(program.command("query"))
    .summary("Prints rows of a table, or entities of a class.")
    .description(
      "Prints rows of a table that match a filter of the service; or, with --module, entities of a class that match conditions on its properties, after the plan and its rating.",
    )
    .argument("<table or class>", "The name of a table; with --module, of a class that the module exports.")
    .option("--filter <odata>", "Of a table, by stored names: \"PartitionKey eq 'a' and Rating gt 3\".")
    .option("--module <module.js>", "A compiled module that exports the class.")
    .option("--where <json>", 'Of a class: {"channel":"Channel9","postedOn":{"ge":"2024-01-01T00:00:00Z"}}.')
    .option("--allow-scan", "Of a class: reads the whole table where keys do not say what is wanted.")
    .option("--explain", "Of a class: prints the plan, and reads nothing.")
    .option("--select <names>", "Properties to print, with commas between them.")
    .option("--top <n>", "The most rows to print.", wholeNumber("--top"))
    .option("--json", "Prints lines of JSON on a terminal, too. Elsewhere they are always printed.")
    .notes(
      "Conditions of --where must all hold. A value stands for equality; comparisons are eq, ne, gt, ge, lt, le, between and in",
      "(with a list), startsWith, and exists (with true or false). Dates and big integers are text. The plan is printed to",
      "standard error. A query that would read the whole table is refused without --allow-scan.",
      exitCodes,
    )
    .does(async (args, options) => (await import("../data/query.ts")).query(args, options));
}
